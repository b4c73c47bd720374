//! Random operands, and how the library combines their collations.

use std::io::Write;

use anyhow::Result;
use mysql_collation::{
    Coercibility, Collation, CombinedCollation, Expression, Flavour, Operand, ServerVersion, catalogue,
    combine_collations,
};

use crate::verify::Random;

/// Versions before and after changes of the rules.
const VERSIONS: [ServerVersion; 7] = [
    ServerVersion::new(Flavour::MySql, 5, 7, 22),
    ServerVersion::new(Flavour::MySql, 8, 0, 30),
    ServerVersion::new(Flavour::MySql, 8, 0, 31),
    ServerVersion::new(Flavour::MySql, 9, 7, 4),
    ServerVersion::new(Flavour::MariaDb, 10, 11, 6),
    ServerVersion::new(Flavour::MariaDb, 11, 4, 5),
    ServerVersion::new(Flavour::MariaDb, 11, 8, 9),
];

/// In ascending order, as their numbers in the stream.
const COERCIBILITIES: [Coercibility; 7] = [
    Coercibility::Explicit,
    Coercibility::Mixed,
    Coercibility::Implicit,
    Coercibility::SystemConstant,
    Coercibility::Coercible,
    Coercibility::Numeric,
    Coercibility::Ignorable,
];

/// Collations of both flavours, among which different rules decide.
const NAMES: [&str; 15] = [
    "binary",
    "ascii_general_ci",
    "latin1_swedish_ci",
    "latin1_general_ci",
    "latin1_bin",
    "cp1251_general_ci",
    "sjis_japanese_ci",
    "ucs2_general_ci",
    "utf16_general_ci",
    "utf32_general_ci",
    "utf8mb3_general_ci",
    "utf8mb3_unicode_ci",
    "utf8mb4_general_ci",
    "utf8mb4_0900_ai_ci",
    "utf8mb4_bin",
];

pub fn write(count: usize, random: &mut Random, out: &mut impl Write) -> Result<()> {
    out.write_all(&(count as u32).to_le_bytes())?;
    for number in 0..count {
        let version = VERSIONS[number % VERSIONS.len()];
        let expression = if random.below(2) == 0 { Expression::Comparison } else { Expression::Text };
        let operands: Vec<Operand<'_>> = (0..1 + random.below(4)).map(|_| choose(version.flavour, random)).collect();
        out.write_all(&[version.flavour as u8])?;
        for number in [version.major, version.minor, version.patch] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&[expression as u8, operands.len() as u8])?;
        operands.iter().try_for_each(|&operand| write_operand(version.flavour, operand, out))?;
        match combine_collations(version, expression, operands)? {
            CombinedCollation::IllegalMix { error } => {
                out.write_all(&[0])?;
                out.write_all(&error.to_le_bytes())?;
            }
            CombinedCollation::CollationIfRepresentable(operand) => {
                out.write_all(&[2])?;
                write_operand(version.flavour, operand, out)?;
            }
            CombinedCollation::Collation(operand) => {
                out.write_all(&[1])?;
                write_operand(version.flavour, operand, out)?;
            }
            other => anyhow::bail!("{other:?} has no form in the stream"),
        }
    }
    Ok(())
}

fn choose(flavour: Flavour, random: &mut Random) -> Operand<'static> {
    let all = catalogue(flavour);
    let name = if random.below(4) == 0 { all[random.below(all.len())].name } else { NAMES[random.below(NAMES.len())] };
    let coercibility = COERCIBILITIES[random.below(COERCIBILITIES.len())];
    Operand::new(name, coercibility).with_ascii(random.below(2) == 0)
}

fn write_operand(flavour: Flavour, operand: Operand<'_>, out: &mut impl Write) -> Result<()> {
    let id = Collation::by_name(flavour, operand.collation)?.id();
    let [low, high] = id.to_le_bytes();
    let coercibility = COERCIBILITIES.iter().position(|&one| one == operand.coercibility).unwrap_or_default();
    Ok(out.write_all(&[low, high, coercibility as u8, operand.is_ascii.into()])?)
}
