//! The program behind `cargo run --release -p hedgerow-bench`: reads the arguments, runs a command, prints its results.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use hedgerow_bench::arguments::{Arguments, Format, HELP, Task};
use hedgerow_bench::machine::{Machine, describe_moment};
use hedgerow_bench::save::{Results, folder, save, unfinished};
use hedgerow_bench::{data, learn, mnist, peers, ratios, step};

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    if cfg!(debug_assertions) && arguments.task != Task::Help {
        eprintln!("warning: built without --release, so that these times mean nothing");
    }
    if let Task::Learn(asked) = &arguments.task {
        // Keeps its results itself, run by run.
        return print(&learn::run(asked)?);
    }
    let machine = Machine::this();
    let folder = folder(&machine);
    let moment = describe_moment(hedgerow_bench::REVISION);
    let (output, results) = match &arguments.task {
        Task::Help | Task::Learn(_) => return print(HELP),
        Task::Ratios { format } => {
            let table = ratios::measure(arguments.repeats)?;
            let results = Results {
                command: "ratios".into(),
                command_line: command_line(&format!("ratios --repeat {}", arguments.repeats)),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            let output = match format {
                Format::Markdown => table.markdown(),
                Format::Json => table.json(),
            };
            (output, results)
        }
        Task::Mnist { folder } => {
            let table = mnist::measure(folder, arguments.repeats)?;
            let results = Results {
                command: "mnist".into(),
                command_line: command_line(&format!("mnist DIR --repeat {}", arguments.repeats)),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            (table.markdown(), results)
        }
        Task::Data { mnist } => {
            let table = data::measure(mnist.as_deref(), arguments.repeats)?;
            let pictures = if mnist.is_some() { "--mnist DIR " } else { "" };
            let results = Results {
                command: "data".into(),
                command_line: command_line(&format!("data {pictures}--repeat {}", arguments.repeats)),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            (table.markdown(), results)
        }
        Task::Step(plan) => {
            let table = step::measure(plan, arguments.repeats)?;
            let fashion = if plan.fashion.is_some() { "--fashion DIR " } else { "" };
            let to_error = if plan.to_error { "--to-error " } else { "" };
            let results = Results {
                command: "step".into(),
                command_line: command_line(&format!(
                    "step --mnist DIR {fashion}{to_error}--repeat {}",
                    arguments.repeats
                )),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            (table.markdown(), results)
        }
        Task::Peers(plan) => {
            let command = format!("peers-{}", plan.question.name());
            let kept = arguments.save.then(|| unfinished(&folder, &command));
            let table = peers::measure(plan, arguments.repeats, kept.as_deref())?;
            let data: String = plan.data.iter().map(|name| format!("--data {name} ")).collect();
            let quick = if plan.quick { "--quick " } else { "" };
            let seconds = match plan.peer_limit {
                limit if limit == peers::Plan::usual_limit(plan.question) => String::new(),
                limit => format!("--peer-seconds {} ", limit.as_secs()),
            };
            let question = plan.question.name();
            let results = Results {
                command,
                command_line: command_line(&format!(
                    "peers {question} {data}{quick}{seconds}--repeat {}",
                    arguments.repeats
                )),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: Some(table.html()),
            };
            (table.markdown(), results)
        }
    };
    print(&output)?;
    if arguments.save {
        save(&folder, &machine, &results)?;
        eprintln!("saved in {}", folder.display());
        // All that it holds is saved now. Most commands have none.
        let _ = std::fs::remove_file(unfinished(&folder, &results.command));
    }
    Ok(())
}

fn command_line(arguments: &str) -> String {
    format!("cargo run --release -p hedgerow-bench -- {arguments}")
}

/// Prints results. A reader that has gone away has seen enough.
fn print(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
