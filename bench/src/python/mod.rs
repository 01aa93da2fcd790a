//! The Python side of commands that compare with Python packages: [`environment`] installs them, [`process`] asks them.

pub mod environment;
pub mod process;
