//! The step `python-release`: the package is installed as users install it, from its source distribution and from the checkout, compiled for
//! release, into environments with nothing else in them; and then it is used. Minutes, so that it is run by name.

use super::environment::{Environment, interpreter};
use super::sources::source_distribution;
use super::{ENVIRONMENTS, done};
use crate::process::output_of;
use crate::step::Outcome;
use crate::workspace::Workspace;

/// Imports, learns and answers.
const USE: &str = "
import hedgerow
digits = hedgerow.datasets.load_optdigits()
model = hedgerow.DifferentiableBoundarySet(max_epochs=5, random_state=0).fit(digits.X_train, digits.y_train)
accuracy = float((model.predict(digits.X_test) == digits.y_test).mean())
assert accuracy > 0.9, accuracy
print('hedgerow', hedgerow.__version__, 'answers', f'{100 * accuracy:.1f} % of optdigits rightly, from', hedgerow.__file__)
";

/// Installs and uses.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let version = match interpreter() {
        Ok(version) => version,
        Err(reason) => return Outcome::Skipped(reason),
    };
    match checked(workspace, &version) {
        Ok(()) => Outcome::Passed,
        Err(reason) => Outcome::Failed(reason),
    }
}

fn checked(workspace: &Workspace, version: &str) -> Result<(), String> {
    let tools = Environment::of(workspace, ENVIRONMENTS[0]);
    tools.prepare(workspace, version)?;
    let archive = source_distribution(workspace, &tools)?;
    for (name, source) in [("release-of-sdist", archive), ("release-of-checkout", workspace.root.clone())] {
        let environment = Environment::of(workspace, name);
        println!("installing {} into {}", source.display(), environment.folder.display());
        done("python3", workspace.command("python3").args(["-m", "venv", "--clear"]).arg(&environment.folder))?;
        let mut pip = environment.pip(workspace);
        // No wheel that was kept of an earlier version; a target folder for both, which have all dependencies in common.
        pip.args(["install", "--quiet", "--no-cache-dir"]).arg(source);
        pip.env("CARGO_TARGET_DIR", workspace.target_folder("python/release")).env("MATURIN_NO_INSTALL_RUST", "1");
        done("pip", &mut pip)?;
        // Elsewhere than among the sources: the package must come from the environment.
        let mut python = environment.python(workspace, USE);
        println!("{}", output_of(python.current_dir(&environment.folder))?.trim());
        let mut module = environment.tool(workspace, "python");
        let mut script = environment.tool(workspace, "hedgerow");
        for command in [module.args(["-m", "hedgerow", "--version"]), script.arg("--version")] {
            println!("{}", output_of(command.current_dir(&environment.folder))?.trim());
        }
    }
    Ok(())
}
