//! Names of collation functions, read off the program itself.
//!
//! Servers export few of the functions that compare, weigh and hash text, but every collation is an object (`my_charset_…`) that
//! holds its name and ends in two pointers: to a table of its charset's functions, and to a table of its own. Where in the object
//! these stand differs by version, so it is learnt from the objects that are exported, whose names say what must be found in
//! them; then every object of that shape is read, exported or not. Which slot of a table does what differs too: of the orders
//! that MySQL and MariaDB have used (seen in builds that export the functions), the one counts that nothing in this program
//! contradicts: no exported function in another's slot, and no empty slot that no collation can do without.
//!
//! MariaDB gives some collations their table only when they are first used. Where the server runs and its memory may be read, the
//! objects are therefore taken from there (`all_charsets`, which every server exports); the tables that MariaDB exports under names of
//! their own (`my_uca_collation_handler_…`) are read in any case.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::category;
use crate::image::data::Data;
use crate::memory::Memory;
use crate::slots::{Order, SLOTS};

/// How far from a table's function another one may be.
const CALL_DEPTH: usize = 2;

/// Of so many words in a table's beginning, this many must lead into code.
const TABLE: u64 = 12;
const LEAST_CODE: usize = 6;

/// Names of functions by address.
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    names: HashMap<u64, String>,
    collations: BTreeSet<String>,
}

/// Where a collation's object holds what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bytes of an object.
    pub size: u64,
    /// Offset of the pointer to the charset's name.
    pub charset: u64,
    /// Offset of the pointer to the collation's name.
    pub name: u64,
    /// Offset of the pointer to the charset's table; that to the collation's follows.
    pub tables: u64,
}

/// A collation's object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Collation {
    pub name: String,
    pub charset: String,
    pub charset_table: u64,
    pub collation_table: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Orders {
    charset: Option<&'static [&'static str]>,
    collation: Option<&'static [&'static str]>,
}

impl Handlers {
    /// The name of the function that begins here.
    pub(crate) fn name(&self, start: u64) -> Option<&str> {
        self.names.get(&start).map(String::as_str)
    }

    pub(crate) fn collations(&self) -> impl Iterator<Item = &str> {
        self.collations.iter().map(String::as_str)
    }
}

/// Names the functions of all collations in a program, as it is in `memory` where it runs. `symbols` are the functions that have
/// names already, `bounds` where all begin and how long they are; a function that several collations share is named after the first of `wanted` that has it, else after the first by
/// name.
pub(crate) fn find(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    bounds: &BTreeMap<u64, u64>,
    wanted: &[String],
    memory: Option<&Memory>,
) -> Handlers {
    let Some(shape) = learn(data) else { return Handlers::default() };
    let mut collations = objects(data, shape);
    if let Some(memory) = memory {
        let running = running(data, shape, memory);
        let names: BTreeSet<&str> = running.iter().map(|collation| collation.name.as_str()).collect();
        collations.retain(|collation| !names.contains(collation.name.as_str()));
        collations.extend(running.iter().cloned());
    }
    collations.sort();
    let tables = |table: fn(&Collation) -> u64| collations.iter().map(table).collect::<BTreeSet<u64>>();
    let orders = Orders {
        charset: order(data, symbols, &tables(|collation| collation.charset_table), &SLOTS.charset),
        collation: order(data, symbols, &tables(|collation| collation.collation_table), &SLOTS.collation),
    };
    let mut names = name(data, &collations, orders, wanted);
    for (table, owner) in exported_tables(data) {
        for (slot, role) in orders.collation.unwrap_or_default().iter().enumerate() {
            if let Some(function) = code(data, table, slot) {
                names.entry(function).or_insert_with(|| format!("{role}@{owner}"));
            }
        }
    }
    for _ in 0..CALL_DEPTH {
        let callees = callees(data, symbols, bounds, &names);
        names.extend(callees);
    }
    Handlers { names, collations: collations.into_iter().map(|collation| collation.name).collect() }
}

/// The unnamed functions that functions of tables call or jump to, where all that do work for the same category: compilers move the
/// body of a compare function out of the table's own. They are named after the caller and where they begin.
fn callees(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    bounds: &BTreeMap<u64, u64>,
    names: &HashMap<u64, String>,
) -> Vec<(u64, String)> {
    let mut callers: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for (&caller, name) in names {
        for target in bounds.get(&caller).into_iter().flat_map(|&length| data.calls(caller, length)) {
            let is_unnamed =
                bounds.contains_key(&target) && !symbols.contains_key(&target) && !names.contains_key(&target);
            if is_unnamed {
                callers.entry(target).or_default().insert(name);
            }
        }
    }
    let category = |name: &str| category::role(name, "");
    let of_one = callers.into_iter().filter_map(|(target, callers)| {
        let first = *callers.first()?;
        let alike = callers.iter().all(|caller| category(caller) == category(first));
        alike.then(|| (target, format!("{}/{target:#x}", first.split('/').next().unwrap_or(first))))
    });
    of_one.collect()
}

/// The collations' tables that are exported under names of their own, such as `my_uca_collation_handler_nopad_utf8mb4`, by address.
fn exported_tables(data: &Data<'_>) -> BTreeMap<u64, String> {
    let tables =
        data.objects().iter().filter(|object| object.name.starts_with("my_") && is_table(data, object.address));
    let named = tables.filter_map(|object| {
        let (family, kind) = object.name["my_".len()..].split_once("collation_handler")?;
        Some((object.address, format!("{family}{}", kind.trim_start_matches('_'))))
    });
    named.collect()
}

/// The collations of a running server, as they are now.
fn running(data: &Data<'_>, shape: Shape, memory: &Memory) -> Vec<Collation> {
    let Some(all) = data.objects().iter().find(|object| object.name == "all_charsets") else { return Vec::new() };
    let read = |at: &u64| {
        let object = memory.words(*at, (shape.size / 8) as usize)?;
        let word = |offset: u64| object.get((offset / 8) as usize).copied();
        let (name, charset) = (memory.text(word(shape.name)?)?, memory.text(word(shape.charset)?)?);
        let (charset_table, collation_table) =
            (memory.in_file(word(shape.tables)?), memory.in_file(word(shape.tables + 8)?));
        let fits = is_collation_of(&charset, &name) && is_table(data, charset_table) && is_table(data, collation_table);
        fits.then_some(Collation { name, charset, charset_table, collation_table })
    };
    let objects = memory.words_of_file(all.address, (all.size / 8) as usize).unwrap_or_default();
    objects.iter().filter(|&&at| at != 0).filter_map(read).collect()
}

fn name(data: &Data<'_>, collations: &[Collation], orders: Orders, wanted: &[String]) -> HashMap<u64, String> {
    // By function: slot and those that share it.
    let mut found: BTreeMap<u64, (&str, BTreeSet<&str>)> = BTreeMap::new();
    let mut add = |table: u64, order: Option<&[&'static str]>, owner: &'_ str| {
        let owner = collations.iter().flat_map(|c| [c.name.as_str(), c.charset.as_str()]).find(|name| *name == owner);
        for (slot, &role) in order.unwrap_or_default().iter().enumerate() {
            if let (Some(function), Some(owner)) = (code(data, table, slot), owner) {
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
        collations.iter().filter(|c| wanted.contains(&c.name)).map(|c| c.charset.as_str()).collect();
    let preferred: Vec<&str> = wanted.iter().map(String::as_str).chain(wanted_charsets).collect();
    let named = found.into_iter().map(|(function, (role, owners))| {
        let first =
            preferred.iter().find(|name| owners.contains(**name)).or_else(|| owners.first()).copied().unwrap_or("");
        let others = match owners.len() - 1 {
            0 => String::new(),
            more => format!("(+{more})"),
        };
        (function, format!("{role}@{first}{others}"))
    });
    named.collect()
}

/// The function in a slot of a table.
fn code(data: &Data<'_>, table: u64, slot: usize) -> Option<u64> {
    data.pointer(table + 8 * slot as u64).filter(|&target| data.is_code(target))
}

fn is_table(data: &Data<'_>, at: u64) -> bool {
    at.is_multiple_of(8) && (0..TABLE as usize).filter(|&slot| code(data, at, slot).is_some()).count() >= LEAST_CODE
}

/// Whether this reads like the name of a collation of that charset, such as `latin1_swedish_ci` and `binary`.
fn is_collation_of(charset: &str, name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let own = name.strip_prefix(charset).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    charset.len() > 2 && own && name.bytes().all(plain)
}

/// Learns the shape from the exported objects. It must fit three in four of them: some are no collations, but have such a name.
fn learn(data: &Data<'_>) -> Option<Shape> {
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
    // An object is named after its charset (`my_charset_latin1`, `my_charset_utf8mb4_bin`), whose name it points to.
    let charset = offsets().find(|offset| {
        fits(&|at, name| text(at + offset).is_some_and(|charset| charset.len() > 2 && name.starts_with(charset)))
    })?;
    let name = offsets().filter(|&offset| offset != charset).find(|offset| {
        fits(&|at, _| match (text(at + charset), text(at + offset)) {
            (Some(charset), Some(name)) => is_collation_of(charset, name),
            _ => false,
        })
    })?;
    let leads_to_table = |at: u64| data.pointer(at).is_some_and(|target| is_table(data, target));
    let tables =
        offsets().rev().find(|offset| fits(&|at, _| leads_to_table(at + offset) && leads_to_table(at + offset + 8)))?;
    Some(Shape { size, charset, name, tables })
}

/// All objects of a shape, whether exported or not.
fn objects(data: &Data<'_>, shape: Shape) -> Vec<Collation> {
    let at = |word: u64| {
        let name = data.text(data.pointer(word)?)?;
        let base = word.checked_sub(shape.name)?;
        let charset = data.text(data.pointer(base + shape.charset)?)?;
        let (charset_table, collation_table) =
            (data.pointer(base + shape.tables)?, data.pointer(base + shape.tables + 8)?);
        let fits = is_collation_of(charset, name) && is_table(data, charset_table) && is_table(data, collation_table);
        fits.then(|| Collation { name: name.into(), charset: charset.into(), charset_table, collation_table })
    };
    data.words().filter_map(at).collect()
}

/// The order of the slots: of the known ones that nothing contradicts, the one that most names confirm. With a tie there is none.
fn order(
    data: &Data<'_>,
    symbols: &HashMap<u64, &str>,
    tables: &BTreeSet<u64>,
    orders: &'static [Order],
) -> Option<&'static [&'static str]> {
    let mut confirmed: Vec<(usize, &'static [&'static str])> = orders
        .iter()
        .filter_map(|order| {
            let judge = |&table: &u64| judge(data, symbols, table, order, orders);
            let votes: Option<usize> = tables.iter().map(judge).sum();
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

/// How many names confirm an order in a table; `None` where one contradicts it, or an essential slot is empty.
fn judge(data: &Data<'_>, symbols: &HashMap<u64, &str>, table: u64, order: &[&str], orders: &[Order]) -> Option<usize> {
    let mut votes = 0;
    for (slot, &role) in order.iter().enumerate() {
        let Some(function) = code(data, table, slot) else {
            if SLOTS.essential.contains(&role) {
                return None;
            }
            continue;
        };
        let told = symbols.get(&function).and_then(|symbol| role_of(&crate::names::shorten(symbol), orders));
        match told {
            Some(told) if told == role => votes += 1,
            Some(_) => return None,
            None => {}
        }
    }
    Some(votes)
}

/// What a function of this name does: `my_strnncollsp_simple` is a `strnncollsp`. The longest role counts.
fn role_of(symbol: &str, orders: &[Order]) -> Option<&'static str> {
    let name = symbol.strip_prefix("my_")?;
    let is = |role: &&str| name.strip_prefix(role).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let roles = orders.iter().flat_map(|order| order.iter().copied());
    roles.filter(is).max_by_key(|role| role.len())
}
