//! Names the functions of collations, which servers export only in part.
//!
//! Each collation is an object (`my_charset_…`). It holds the names of charset and collation, and
//! near its end two adjacent pointers: to a table of the charset's functions and to a table of the
//! collation's functions. The offsets differ between versions. They are learnt from the exported
//! objects, whose symbols contain the charset's name. Then all objects with this layout are read,
//! exported or not.
//!
//! The order of slots in a table differs between versions, too. `slots.conf` has the orders of
//! builds that export the functions. The chosen order contradicts nothing in the program: no
//! exported function is in the slot of a different one, and no slot is empty that all collations
//! fill.
//!
//! MariaDB gives some collations their table only at first use. If the memory of a running server
//! is readable, objects are read from the memory through the exported `all_charsets`. MariaDB also
//! exports some tables directly (`my_uca_collation_handler_…`); these are read, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::category;
use crate::image::data::Data;
use crate::memory::ProcessMemory;
use crate::slots::{SLOT_ORDERS, SlotOrder};

/// Maximum length of a chain of calls from a function in a table to a function that is named after
/// it.
const MAX_CALL_DEPTH: usize = 2;

/// A table has code pointers in at least [`MIN_CODE_POINTERS`] of its first `CHECKED_WORDS` words.
const CHECKED_WORDS: u64 = 12;
const MIN_CODE_POINTERS: usize = 6;

/// Names of functions by start address.
#[derive(Debug, Default)]
pub(crate) struct FunctionNames {
    names: HashMap<u64, String>,
    collations: BTreeSet<String>,
}

/// Offsets in a collation's object, which differ between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CollationLayout {
    /// Bytes of an object.
    pub size: u64,
    /// Offset of the pointer to the charset's name.
    pub charset: u64,
    /// Offset of the pointer to the collation's name.
    pub name: u64,
    /// Offset of the pointer to the charset's table. The pointer to the collation's table follows.
    pub tables: u64,
}

/// Content of a collation's object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Collation {
    pub name: String,
    pub charset: String,
    pub charset_table: u64,
    pub collation_table: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct ChosenOrders {
    charset: Option<&'static [&'static str]>,
    collation: Option<&'static [&'static str]>,
}

impl FunctionNames {
    pub(crate) fn name(&self, start: u64) -> Option<&str> {
        self.names.get(&start).map(String::as_str)
    }

    pub(crate) fn collations(&self) -> impl Iterator<Item = &str> {
        self.collations.iter().map(String::as_str)
    }
}

/// Names the functions of all collations in a program. `memory` is the memory of a process that
/// runs the program. `symbols` are the functions that have names. `lengths` are the lengths of all
/// functions by start address. A function that several collations or charsets share is named after
/// the first of `preferred_collations` that has the function, or else after the charset of one of
/// them, or else after the name that sorts first.
pub(crate) fn name_handler_functions(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    lengths: &BTreeMap<u64, u64>,
    preferred_collations: &[String],
    memory: Option<&ProcessMemory>,
) -> FunctionNames {
    let Some(layout) = learn_layout(data) else { return FunctionNames::default() };
    let mut collations = find_collations(data, layout);
    if let Some(memory) = memory {
        let running_collations = read_running_collations(data, layout, memory);
        let names: BTreeSet<&str> = running_collations.iter().map(|collation| collation.name.as_str()).collect();
        collations.retain(|collation| !names.contains(collation.name.as_str()));
        collations.extend(running_collations.iter().cloned());
    }
    collations.sort();
    let tables = |table: fn(&Collation) -> u64| collations.iter().map(table).collect::<BTreeSet<u64>>();
    let orders = ChosenOrders {
        charset: choose_slot_order(data, symbols, &tables(|collation| collation.charset_table), &SLOT_ORDERS.charset),
        collation: choose_slot_order(
            data,
            symbols,
            &tables(|collation| collation.collation_table),
            &SLOT_ORDERS.collation,
        ),
    };
    let mut names = name_functions(data, &collations, orders, preferred_collations);
    for (table, owner) in exported_tables(data) {
        for (slot, role) in orders.collation.unwrap_or_default().iter().enumerate() {
            if let Some(function) = function_in_slot(data, table, slot) {
                names.entry(function).or_insert_with(|| format!("{role}@{owner}"));
            }
        }
    }
    for _ in 0..MAX_CALL_DEPTH {
        let callees = find_callees(data, symbols, lengths, &names);
        names.extend(callees);
    }
    FunctionNames { names, collations: collations.into_iter().map(|collation| collation.name).collect() }
}

/// Returns unnamed functions that functions of `names` call or jump to, if all these callers have
/// one category. Compilers move the body of a compare function out of the function in the table.
/// The name consists of a caller and the address.
fn find_callees(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    lengths: &BTreeMap<u64, u64>,
    names: &HashMap<u64, String>,
) -> Vec<(u64, String)> {
    let mut callers: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for (&caller, name) in names {
        for target in lengths.get(&caller).into_iter().flat_map(|&length| data.call_targets(caller, length)) {
            let is_unnamed =
                lengths.contains_key(&target) && !symbols.contains_key(&target) && !names.contains_key(&target);
            if is_unnamed {
                callers.entry(target).or_default().insert(name);
            }
        }
    }
    let category = |name: &str| category::role_of_function(name, "");
    let of_one_category = callers.into_iter().filter_map(|(target, callers)| {
        let first = *callers.first()?;
        let have_one_category = callers.iter().all(|caller| category(caller) == category(first));
        have_one_category.then(|| (target, format!("{}/{target:#x}", first.split('/').next().unwrap_or(first))))
    });
    of_one_category.collect()
}

/// Returns collation tables that are exported directly, with names from their symbols, by address.
/// Example: `uca_nopad_utf8mb4` for `my_uca_collation_handler_nopad_utf8mb4`.
fn exported_tables(data: &Data<'_>) -> BTreeMap<u64, String> {
    let tables = data
        .objects()
        .iter()
        .filter(|object| object.name.starts_with("my_") && is_function_table(data, object.address));
    let named = tables.filter_map(|object| {
        let (family, kind) = object.name["my_".len()..].split_once("collation_handler")?;
        Some((object.address, format!("{family}{}", kind.trim_start_matches('_'))))
    });
    named.collect()
}

/// Reads the collations to which `all_charsets` points in a running server. Empty if it is not
/// exported, or the memory is not readable.
fn read_running_collations(data: &Data<'_>, layout: CollationLayout, memory: &ProcessMemory) -> Vec<Collation> {
    let Some(all) = data.objects().iter().find(|object| object.name == "all_charsets") else {
        return Vec::new();
    };
    let read = |at: &u64| {
        let object = memory.words(*at, (layout.size / 8) as usize)?;
        let word = |offset: u64| object.get((offset / 8) as usize).copied();
        let (name, charset) = (memory.text(word(layout.name)?)?, memory.text(word(layout.charset)?)?);
        let (charset_table, collation_table) =
            (memory.file_address(word(layout.tables)?), memory.file_address(word(layout.tables + 8)?));
        let fits = is_collation_of(&charset, &name)
            && is_function_table(data, charset_table)
            && is_function_table(data, collation_table);
        fits.then_some(Collation { name, charset, charset_table, collation_table })
    };
    let objects = memory.words_at_file_address(all.address, (all.size / 8) as usize).unwrap_or_default();
    objects.iter().filter(|&&at| at != 0).filter_map(read).collect()
}

fn name_functions(
    data: &Data<'_>,
    collations: &[Collation],
    orders: ChosenOrders,
    preferred_collations: &[String],
) -> HashMap<u64, String> {
    // By function: slot name, and the collations and charsets that share the function.
    let mut found: BTreeMap<u64, (&str, BTreeSet<&str>)> = BTreeMap::new();
    let mut add = |table: u64, order: Option<&[&'static str]>, owner: &'_ str| {
        let owner = collations.iter().flat_map(|c| [c.name.as_str(), c.charset.as_str()]).find(|name| *name == owner);
        for (slot, &role) in order.unwrap_or_default().iter().enumerate() {
            if let (Some(function), Some(owner)) = (function_in_slot(data, table, slot), owner) {
                found.entry(function).or_insert((role, BTreeSet::new())).1.insert(owner);
            }
        }
    };
    for collation in collations {
        add(collation.collation_table, orders.collation, &collation.name);
    }
    for collation in collations {
        add(collation.charset_table, orders.charset, &collation.charset);
    }
    let wanted_charsets: Vec<&str> =
        collations.iter().filter(|c| preferred_collations.contains(&c.name)).map(|c| c.charset.as_str()).collect();
    let preferred: Vec<&str> = preferred_collations.iter().map(String::as_str).chain(wanted_charsets).collect();
    let named = found.into_iter().map(|(function, (role, owners))| {
        let first =
            preferred.iter().find(|name| owners.contains(**name)).or_else(|| owners.first()).copied().unwrap_or("");
        (function, function_name(role, first, owners.len() - 1))
    });
    named.collect()
}

/// Roles whose functions have a well-known symbol, such as `my_ismbchar_utf8mb4`.
const ROLES_WITH_SYMBOL: [&str; 3] = ["ismbchar", "mb_wc", "wc_mb"];

/// Returns the name of a function that `owner`, a charset or collation, shares with `other_count`
/// others.
fn function_name(role: &str, owner: &str, other_count: usize) -> String {
    match other_count {
        0 if ROLES_WITH_SYMBOL.contains(&role) => format!("my_{role}_{owner}"),
        0 => format!("{role}@{owner}"),
        _ => format!("{role}@{owner}(+{other_count})"),
    }
}

/// `None` if the slot doesn't point to code.
fn function_in_slot(data: &Data<'_>, table: u64, slot: usize) -> Option<u64> {
    data.pointer(table + 8 * slot as u64).filter(|&target| data.is_code(target))
}

fn is_function_table(data: &Data<'_>, at: u64) -> bool {
    at.is_multiple_of(8)
        && (0..CHECKED_WORDS as usize).filter(|&slot| function_in_slot(data, at, slot).is_some()).count()
            >= MIN_CODE_POINTERS
}

/// True if the name reads like a collation of the charset, such as `latin1_swedish_ci` or `binary`.
fn is_collation_of(charset: &str, name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let own = name.strip_prefix(charset).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    charset.len() > 2 && own && name.bytes().all(plain)
}

/// Learns the layout from the exported objects of the most frequent size. The layout must fit three
/// quarters of them, because some objects with such names are not collations.
fn learn_layout(data: &Data<'_>) -> Option<CollationLayout> {
    let all = data
        .objects()
        .iter()
        .filter(|object| object.name.starts_with("my_charset_") && !object.name.ends_with("_handler"));
    let mut by_size: BTreeMap<u64, Vec<(u64, &str)>> = BTreeMap::new();
    for object in all.filter(|object| (100..400).contains(&object.size)) {
        by_size.entry(object.size).or_default().push((object.address, &object.name["my_charset_".len()..]));
    }
    let (size, objects) = by_size.into_iter().max_by_key(|(_, objects)| objects.len())?;
    let fits = |check: &dyn Fn(u64, &str) -> bool| {
        let fitting = objects.iter().filter(|&&(address, name)| check(address, name)).count();
        fitting > 0 && 4 * fitting >= 3 * objects.len()
    };
    let offsets = || (0..size / 8 - 1).map(|word| 8 * word);
    let text = |address: u64| data.pointer(address).and_then(|target| data.text(target));
    // An object's symbol begins with the name of its charset (`my_charset_latin1`,
    // `my_charset_utf8mb4_bin`), and the object points to that name.
    let charset = offsets().find(|offset| {
        fits(&|at, name| text(at + offset).is_some_and(|charset| charset.len() > 2 && name.starts_with(charset)))
    })?;
    let name = offsets().filter(|&offset| offset != charset).find(|offset| {
        fits(&|at, _| match (text(at + charset), text(at + offset)) {
            (Some(charset), Some(name)) => is_collation_of(charset, name),
            _ => false,
        })
    })?;
    let leads_to_table = |at: u64| data.pointer(at).is_some_and(|target| is_function_table(data, target));
    let tables =
        offsets().rev().find(|offset| fits(&|at, _| leads_to_table(at + offset) && leads_to_table(at + offset + 8)))?;
    Some(CollationLayout { size, charset, name, tables })
}

/// Reads all collations of the program file with the layout, exported or not.
fn find_collations(data: &Data<'_>, layout: CollationLayout) -> Vec<Collation> {
    let at = |word: u64| {
        let name = data.text(data.pointer(word)?)?;
        let base = word.checked_sub(layout.name)?;
        let charset = data.text(data.pointer(base + layout.charset)?)?;
        let (charset_table, collation_table) =
            (data.pointer(base + layout.tables)?, data.pointer(base + layout.tables + 8)?);
        let fits = is_collation_of(charset, name)
            && is_function_table(data, charset_table)
            && is_function_table(data, collation_table);
        fits.then(|| Collation { name: name.into(), charset: charset.into(), charset_table, collation_table })
    };
    data.word_addresses().filter_map(at).collect()
}

/// Chooses the order of slots that most symbols confirm and nothing contradicts. `None` if each
/// order is contradicted, or in case of a tie.
fn choose_slot_order(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    tables: &BTreeSet<u64>,
    orders: &'static [SlotOrder],
) -> Option<&'static [&'static str]> {
    let mut confirmed: Vec<(usize, &'static [&'static str])> = orders
        .iter()
        .filter_map(|order| {
            let confirmations = |&table: &u64| count_confirmations(data, symbols, table, order, orders);
            let votes: Option<usize> = tables.iter().map(confirmations).sum();
            Some((votes?, order.as_slice()))
        })
        .collect();
    confirmed.sort_by_key(|(votes, _)| std::cmp::Reverse(*votes));
    match confirmed[..] {
        [] => None,
        [(best, _), (second, _), ..] if best == second => None,
        [(_, order), ..] => Some(order),
    }
}

/// Counts the symbols that confirm an order in a table. `None` if a symbol contradicts it, or a
/// slot is empty that must not be.
fn count_confirmations(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    table: u64,
    order: &[&str],
    orders: &[SlotOrder],
) -> Option<usize> {
    let mut votes = 0;
    for (slot, &role) in order.iter().enumerate() {
        let Some(function) = function_in_slot(data, table, slot) else {
            if SLOT_ORDERS.never_empty.contains(&role) {
                return None;
            }
            continue;
        };
        let slot_of_symbol =
            symbols.get(&function).and_then(|symbol| slot_name(&crate::names::shorten(symbol), orders));
        match slot_of_symbol {
            Some(slot) if slot == role => votes += 1,
            Some(_) => return None,
            None => {}
        }
    }
    Some(votes)
}

/// Returns the slot name in a symbol: `strnncollsp` for `my_strnncollsp_simple`. The longest match
/// wins.
fn slot_name(symbol: &str, orders: &[SlotOrder]) -> Option<&'static str> {
    let name = symbol.strip_prefix("my_")?;
    let is = |role: &&str| name.strip_prefix(role).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let roles = orders.iter().flat_map(|order| order.iter().copied());
    roles.filter(is).max_by_key(|role| role.len())
}
