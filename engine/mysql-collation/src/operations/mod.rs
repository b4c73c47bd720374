//! Operations on texts. Each operation is compiled for each kind of weights
//! ([`Operation`](crate::dispatch::Operation)).

mod bytes;
mod code_points;
pub(crate) mod compare;
pub(crate) mod elements;
pub(crate) mod feed;
pub(crate) mod find;
pub(crate) mod group_key;
pub(crate) mod hash;
pub(crate) mod key_slice;
pub(crate) mod like;
mod padding;
pub(crate) mod prefix_range;
pub(crate) mod sort;
pub(crate) mod sort_key;
mod stream;
pub(crate) mod weight_string;
pub(crate) mod weight_string_char;
mod wrapped_mark;
pub(crate) mod xxh64;
