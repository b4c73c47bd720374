//! Limits that schemas share in turns, so that a schema with many objects leaves room for others.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Items within a limit, as positions in a list, and the numbers of those left out.
pub(super) struct Shares<'a> {
    pub taken: HashSet<usize>,
    /// Number of items left out, by schema.
    pub left_out: BTreeMap<&'a str, usize>,
}

/// Takes up to `max` items in turns: the first of each schema, then the second of each, and so on.
/// `schemas` are the schemas of the items.
pub(super) fn share_out<'a>(schemas: &[&'a str], max: usize) -> Shares<'a> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let turn = |(at, schema): (usize, &&'a str)| {
        let count = counts.entry(schema).or_default();
        *count += 1;
        (*count, at)
    };
    let mut turns: Vec<(usize, usize)> = schemas.iter().enumerate().map(turn).collect();
    turns.sort_unstable();
    let late = turns.split_off(max.min(turns.len()));
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    late.into_iter().for_each(|(_, at)| *left_out.entry(schemas[at]).or_default() += 1);
    Shares { taken: turns.into_iter().map(|(_, at)| at).collect(), left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_schema_leaves_room_for_others() {
        let schemas: Vec<&str> = [["aaa"; 6].as_slice(), &["shop", "shop"], &["log"]].concat();
        let shares = share_out(&schemas, 5);
        let mut taken: Vec<usize> = shares.taken.into_iter().collect();
        taken.sort_unstable();
        assert_eq!(taken, [0, 1, 6, 7, 8]);
        assert_eq!(shares.left_out, BTreeMap::from([("aaa", 4)]));
        let all = share_out(&schemas, 9);
        assert_eq!((all.taken.len(), all.left_out.len()), (9, 0));
    }
}
