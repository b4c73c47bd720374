//! Settings, charsets and collations in force on a server, as the server reports them.

mod changed;
mod collations;
mod layers;

pub(crate) use changed::read_changed_settings;
pub(crate) use collations::read_collations;
pub use collations::{CollationInfo, current_charset_name, current_collation_name, is_same_collation};
pub use layers::{
    CharsetCollation, ConnectionCharsets, Layers, collation_charset, read_connection_charsets, read_layers,
};
