//! hedgerow
