//! The first section of `collations.dat` (docs/reference/data-format.md): names of the other
//! sections, character sets and collations.

use anyhow::{Context, Result, ensure};
use mysql_collation::oracle::{Description, WeightSource, describe};
use mysql_collation::{Charset, Collation, Flavour, Info, Pad, catalogue};

use super::operations::OPERATIONS;

/// The catalogue of the collations of both flavours that this build has.
pub struct CatalogueWriter {
    collations: Vec<(&'static Info, Description)>,
    /// Names of the sections after the catalogue's, in order: files of
    /// `engine/mysql-collation/data` without extension, then `operations`.
    section_names: Vec<String>,
}

/// How a character set is decoded, as the number that the file has for it.
#[derive(Clone, Copy)]
enum Decoding {
    Binary = 0,
    Ascii = 1,
    SingleByte = 2,
    DoubleByte = 3,
    EucJp = 4,
    Gb18030 = 5,
    Utf8 = 6,
    Ucs2 = 7,
    Utf16 = 8,
    Utf16le = 9,
    Utf32 = 10,
}

const ROLE_SINGLE: u8 = 1;
const ROLE_LEAD: u8 = 2;
const ROLE_TRAIL: u8 = 4;

impl CatalogueWriter {
    pub fn new() -> Self {
        let mut section_names: Vec<String> =
            Charset::ALL.into_iter().flat_map(charset_tables).map(|name| format!("charsets/{name}")).collect();
        let mut collations = Vec::new();
        for info in Flavour::ALL.into_iter().flat_map(catalogue) {
            let Ok(collation) = Collation::by_id(info.flavour, info.id) else { continue };
            let description = describe(collation);
            let own = description.table.iter().flat_map(|name| [parent_of(name), Some(name.clone())]).flatten();
            for name in own {
                if !section_names.contains(&name) {
                    section_names.push(name);
                }
            }
            collations.push((info, description));
        }
        section_names.push(OPERATIONS.to_owned());
        Self { collations, section_names }
    }

    pub fn section_names(&self) -> &[String] {
        &self.section_names
    }

    /// Returns the collations in the order of their records.
    pub fn collations(&self) -> impl Iterator<Item = &'static Info> {
        self.collations.iter().map(|(info, _)| *info)
    }

    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        out.extend((self.section_names.len() as u16).to_le_bytes());
        for name in &self.section_names {
            put_text(name, &mut out)?;
            let parent = parent_of(name).map_or(Ok(0), |parent| self.section_number(&parent))?;
            out.extend(parent.to_le_bytes());
        }
        out.push(Charset::ALL.len() as u8);
        for charset in Charset::ALL {
            self.put_charset(charset, &mut out)?;
        }
        out.extend((self.collations.len() as u16).to_le_bytes());
        for (info, description) in &self.collations {
            self.put_collation(info, description, &mut out)?;
        }
        Ok(out)
    }

    /// Returns the number of a table's section.
    fn section_number(&self, name: &str) -> Result<u16> {
        let index = self.section_names.iter().position(|section| section == name);
        Ok(index.with_context(|| format!("there is no section {name}"))? as u16 + 1)
    }

    fn put_charset(&self, charset: Charset, out: &mut Vec<u8>) -> Result<()> {
        put_text(charset.name(), out)?;
        let decoding = decoding(charset);
        out.extend([charset.min_bytes() as u8, charset.max_bytes() as u8, decoding as u8]);
        let mut sections = [0; 2];
        for (slot, name) in sections.iter_mut().zip(charset_tables(charset)) {
            *slot = self.section_number(&format!("charsets/{name}"))?;
        }
        out.extend(sections.iter().flat_map(|section| section.to_le_bytes()));
        if matches!(decoding, Decoding::DoubleByte | Decoding::Gb18030) {
            out.extend(roles(charset));
        }
        Ok(())
    }

    fn put_collation(&self, info: &Info, description: &Description, out: &mut Vec<u8>) -> Result<()> {
        out.push(info.flavour as u8);
        out.extend(info.id.to_le_bytes());
        put_text(info.name, out)?;
        let charset = Charset::ALL.into_iter().position(|charset| charset.name() == info.charset);
        out.push(charset.with_context(|| format!("there is no character set {}", info.charset))? as u8);
        let pads_space = info.pad == Pad::PadSpace;
        out.push(bits(&[info.is_default, info.is_binary, pads_space]));
        out.push(bits(&[0, 1, 2, 3].map(|level| info.levels.has(level))));
        out.push(bits(&description.pads));
        let (kind, parameter) = kind_and_parameter(description.source);
        let section = description.table.as_ref().map_or(Ok(0), |name| self.section_number(name))?;
        out.extend([kind, parameter]);
        out.extend(section.to_le_bytes());
        out.push(bits(&[
            description.ends_at_errors,
            description.like_by_page_beyond_primary,
            description.is_separated,
            description.wraps_first_mark,
            description.like_sees_root,
        ]));
        out.push(description.one_is_zero_from.map_or(u8::MAX, |level| level as u8));
        Ok(())
    }
}

impl Default for CatalogueWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the table that a table tailors: `uca900` of `uca900_da`.
fn parent_of(name: &str) -> Option<String> {
    name.split_once('_').filter(|(root, _)| root.starts_with("uca")).map(|(root, _)| root.to_owned())
}

/// Returns the files of a character set in `engine/mysql-collation/data/charsets`, without
/// extension.
pub fn charset_tables(charset: Charset) -> Vec<&'static str> {
    match decoding(charset) {
        Decoding::SingleByte | Decoding::DoubleByte | Decoding::EucJp => vec![charset.name()],
        Decoding::Gb18030 => vec!["gb18030", "gb18030_four_bytes"],
        _ => vec![],
    }
}

fn decoding(charset: Charset) -> Decoding {
    match charset {
        Charset::Binary => Decoding::Binary,
        Charset::Ascii => Decoding::Ascii,
        Charset::Utf8mb3 | Charset::Utf8mb4 => Decoding::Utf8,
        Charset::Ucs2 => Decoding::Ucs2,
        Charset::Utf16 => Decoding::Utf16,
        Charset::Utf16le => Decoding::Utf16le,
        Charset::Utf32 => Decoding::Utf32,
        Charset::Gb18030 => Decoding::Gb18030,
        Charset::Ujis | Charset::Eucjpms => Decoding::EucJp,
        _ if charset.max_bytes() == 1 => Decoding::SingleByte,
        _ => Decoding::DoubleByte,
    }
}

/// Returns the roles of each byte in characters of one and two bytes.
fn roles(charset: Charset) -> [u8; 256] {
    let is_character = |bytes: &[u8]| charset.well_formed_prefix(bytes) == bytes.len();
    let mut roles = [0; 256];
    for first in 0..=u8::MAX {
        if is_character(&[first]) {
            roles[usize::from(first)] |= ROLE_SINGLE;
            continue;
        }
        for second in 0..=u8::MAX {
            if is_character(&[first, second]) {
                roles[usize::from(first)] |= ROLE_LEAD;
                roles[usize::from(second)] |= ROLE_TRAIL;
            }
        }
    }
    roles
}

/// Returns the kind of weights and its parameter, as the page of the format numbers them. Kinds 9
/// and 11 have the number of bytes of a weight.
fn kind_and_parameter(source: WeightSource) -> (u8, u8) {
    match source {
        WeightSource::Bytes => (0, 0),
        WeightSource::ByteTable => (1, 0),
        WeightSource::ByteExpansions => (2, 0),
        WeightSource::CzechWords => (3, 0),
        WeightSource::CzechPasses => (4, 0),
        WeightSource::Thai { ends_at_zero } => (5, ends_at_zero.into()),
        WeightSource::Characters { has_weight_string_pages, folds_second } => {
            (6, bits(&[has_weight_string_pages, folds_second]))
        }
        WeightSource::Gb18030 => (7, 0),
        WeightSource::Numbers { width } => (8, width as u8),
        WeightSource::Simple => (9, 2),
        WeightSource::Folding { width } => (10, width as u8),
        WeightSource::Uca => (11, 2),
    }
}

/// Packs flags, the first in the lowest bit.
fn bits(flags: &[bool]) -> u8 {
    flags.iter().rev().fold(0, |all, &flag| all << 1 | u8::from(flag))
}

fn put_text(text: &str, out: &mut Vec<u8>) -> Result<()> {
    ensure!(text.len() < 256, "the name {text} has more than 255 bytes");
    out.push(text.len() as u8);
    out.extend(text.as_bytes());
    Ok(())
}
