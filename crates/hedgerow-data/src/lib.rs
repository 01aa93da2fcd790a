//! Data sets for hedgerow: real examples that need no download.
//!
//! The crate is for getting points and labels. It is not for learning from them: that is `hedgerow-core`'s part.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`embedded`] | optdigits, 5620 pictures of handwritten digits, compiled into the crate |
//!
//! Read next: [`embedded::optdigits`].

pub mod embedded;
pub mod progress;
