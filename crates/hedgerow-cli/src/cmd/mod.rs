//! The verbs, one file each.
//!
//! A verb is a file `NAME.rs` with a clap `Args` struct called `Arguments`, whose doc comment is the verb's help, and a
//! function `run`:
//!
//! ```text
//! pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()>
//! ```
//! To add one, add its file, a `mod` line, and a line to the list, in the place that it has in the help. (The `mod` line
//! stands apart because rustfmt does not look for files inside of a macro.)

use clap::Subcommand;

use crate::context::Context;

mod add;
mod changes;
mod compare;
mod completions;
mod data;
mod demo;
mod embed;
mod evaluate;
mod explain;
pub(crate) mod fit;
mod history;
mod inspect;
mod man;
mod neighbors;
mod predict;
mod relabel;
mod remove;
mod replay;
mod report;
mod reproduce;
mod words;

/// Makes the enum of verbs and the call of each one's `run` out of one list.
macro_rules! verbs {
    ($($variant:ident => $module:ident,)+) => {
        /// What the command is asked to do.
        #[derive(Debug, Subcommand)]
        #[allow(clippy::large_enum_variant, reason = "there is one of them in a run")]
        pub(crate) enum Verb {
            // Without comments: the help of a verb is that of its arguments.
            $($variant($module::Arguments),)+
        }

        impl Verb {
            /// Does it.
            pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
                match self {
                    $(Self::$variant(arguments) => $module::run(arguments, context),)+
                }
            }
        }
    };
}

verbs! {
    Demo => demo,
    Fit => fit,
    Evaluate => evaluate,
    Predict => predict,
    Explain => explain,
    Report => report,
    Neighbors => neighbors,
    Embed => embed,
    Add => add,
    Remove => remove,
    Relabel => relabel,
    History => history,
    Replay => replay,
    Inspect => inspect,
    Compare => compare,
    Reproduce => reproduce,
    Data => data,
    Completions => completions,
    Man => man,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use crate::app::App;

    #[test]
    fn every_verb_has_a_section_in_the_documentation() {
        let sections =
            include_str!("../../../../docs/cli.md").lines().filter_map(|line| line.strip_prefix("## hedgerow "));
        let documented: Vec<&str> = sections.filter_map(|section| section.split(' ').next()).collect();
        for verb in App::command().get_subcommands() {
            assert!(documented.contains(&verb.get_name()), "docs/cli.md has no `## hedgerow {}`", verb.get_name());
        }
    }
}
