//! Orders of the functions in handler tables, in several servers. A handler table is a server's
//! table of function pointers for a charset or collation. The orders are data (`slots.conf`).

use std::sync::LazyLock;

use crate::conf::{ConfError, parse_sections};

/// Functions of a table in the order of its slots.
pub(crate) type SlotOrder = Vec<&'static str>;

#[derive(Debug, Default)]
pub(crate) struct SlotOrders {
    /// Orders in a collation's table.
    pub(crate) collation: Vec<SlotOrder>,
    /// Orders in a charset's table.
    pub(crate) charset: Vec<SlotOrder>,
    /// Functions whose slots are never empty.
    pub(crate) never_empty: SlotOrder,
}

pub(crate) static SLOT_ORDERS: LazyLock<SlotOrders> =
    LazyLock::new(|| parse(include_str!("../slots.conf")).expect("the built-in orders are valid"));

fn parse(text: &'static str) -> Result<SlotOrders, ConfError> {
    let mut slots = SlotOrders::default();
    for section in parse_sections(text)? {
        let order = section.lines.iter().flat_map(|line| line.split_whitespace()).collect();
        match section.heading.split(':').next() {
            Some("collation") => slots.collation.push(order),
            Some("charset") => slots.charset.push(order),
            Some("never empty") => slots.never_empty = order,
            _ => return Err(ConfError::UnknownSection(section.heading.into())),
        }
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn orders_differ_and_have_the_never_empty_slots() {
        let SlotOrders { collation, charset, never_empty } = &*SLOT_ORDERS;
        assert_eq!((collation.len(), charset.len()), (4, 3));
        for orders in [collation, charset] {
            let different: BTreeSet<&SlotOrder> = orders.iter().collect();
            assert_eq!(different.len(), orders.len());
            for order in orders {
                assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), order.len(), "{order:?}");
            }
        }
        for role in never_empty {
            let is_in_all = |orders: &[SlotOrder]| orders.iter().all(|order| order.contains(role));
            assert!(is_in_all(collation) || is_in_all(charset), "{role}");
        }
    }

    #[test]
    fn rejects_unknown_sections() {
        assert_eq!(parse("[field: MySQL]\ncmp").unwrap_err(), ConfError::UnknownSection("field: MySQL".into()));
    }
}
