//! Which slot of a handler table does what: the orders that servers have are data (`slots.conf`).

use std::sync::LazyLock;

use crate::conf::{ConfError, sections};

/// The functions of a table, in the order of their slots.
pub(crate) type Order = Vec<&'static str>;

/// The orders that are known.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// Of a collation's table.
    pub(crate) collation: Vec<Order>,
    /// Of a charset's.
    pub(crate) charset: Vec<Order>,
    /// Slots that are never empty.
    pub(crate) essential: Order,
}

/// The orders that are built in.
pub(crate) static SLOTS: LazyLock<Slots> =
    LazyLock::new(|| parse(include_str!("../slots.conf")).expect("the orders are tested"));

fn parse(text: &'static str) -> Result<Slots, ConfError> {
    let mut slots = Slots::default();
    for section in sections(text)? {
        let order = section.lines.iter().flat_map(|line| line.split_whitespace()).collect();
        match section.heading.split(':').next() {
            Some("collation") => slots.collation.push(order),
            Some("charset") => slots.charset.push(order),
            Some("never empty") => slots.essential = order,
            _ => return Err(ConfError::Unknown(section.heading.into())),
        }
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn orders_are_told_apart_and_hold_what_is_essential() {
        let Slots { collation, charset, essential } = &*SLOTS;
        assert_eq!((collation.len(), charset.len()), (4, 3));
        for orders in [collation, charset] {
            let different: BTreeSet<&Order> = orders.iter().collect();
            assert_eq!(different.len(), orders.len());
            for order in orders {
                assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), order.len(), "{order:?}");
            }
        }
        for role in essential {
            let everywhere = |orders: &[Order]| orders.iter().all(|order| order.contains(role));
            assert!(everywhere(collation) || everywhere(charset), "{role}");
        }
    }

    #[test]
    fn a_table_of_nothing_is_refused() {
        assert_eq!(parse("[field: MySQL]\ncmp").unwrap_err(), ConfError::Unknown("field: MySQL".into()));
    }
}
