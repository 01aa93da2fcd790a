//! Data sets for hedgerow: real examples that need no download.
//!
//! The crate is for getting points and labels into plain vectors. It is not for learning from them, and it knows nothing
//! of distances or trees: a caller copies the vectors into whatever the search wants.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`embedded`] | optdigits, 5620 pictures of handwritten digits, compiled into the crate |
//!
//! Read next: [`embedded::optdigits`].

pub mod embedded;
