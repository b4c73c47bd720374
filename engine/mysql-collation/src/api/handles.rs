//! Macro for the constants of collations.

/// Defines constants for collations. Each constant has its own static, so that a program links only
/// the tables of the constants that it uses.
macro_rules! handles {
    ($flavour:ident, $server:literal; $($name:ident = $id:literal;)*) => {
        use crate::catalogue::Flavour;
        use crate::dispatch::{Descriptor, constant_by_id};
        use crate::api::Collation;

        mod statics {
            use super::*;

            $(pub static $name: Descriptor = constant_by_id(Flavour::$flavour, $id);)*
        }

        $(
            #[doc = concat!("Collation ", $id, " of ", $server, ".")]
            pub const $name: Collation = Collation::new(&statics::$name);
        )*

        #[cfg(test)]
        #[test]
        fn constants_are_named_like_their_collations() {
            for (name, collation) in [$((stringify!($name), $name)),*] {
                assert!(name.eq_ignore_ascii_case(collation.name()), "{name}");
                assert_eq!(Collation::by_id(Flavour::$flavour, collation.id()), Ok(collation));
            }
        }
    };
}

pub(crate) use handles;
