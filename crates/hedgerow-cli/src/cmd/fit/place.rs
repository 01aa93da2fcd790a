//! Where the model goes, and the checkpoint beside it: looked at before any work.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use hedgerow::learn::CheckpointInfo;
use hedgerow::{FitParams, Model, SaveError, is_model, other_files};

use super::Arguments;
use super::lock::Lock;
use crate::cmd::words::NO_METHOD;
use crate::error::{WithHint, usage};
use crate::model;

/// The folder of a model to be, and the file beside it that a fit keeps until it is there.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) out: PathBuf,
    pub(super) checkpoint: PathBuf,
    replaces: bool,
    resumes: bool,
    learns: bool,
    /// Keeps other fits from the checkpoint, where there is one.
    lock: Option<Lock>,
}

impl Place {
    /// Refuses a place where something would be lost.
    pub(super) fn of(arguments: &Arguments) -> anyhow::Result<Self> {
        let out = arguments.out.clone();
        let Some(checkpoint) = model::checkpoint_of(&out) else {
            let out = out.display();
            return Err(usage(format_args!("--out {out} is no name for a new folder; give one, such as digits")));
        };
        let (replaces, resumes) = (arguments.force, arguments.resume);
        let learns = arguments.learning.method.as_deref() != Some(NO_METHOD);
        let mut place = Self { out, checkpoint, replaces, resumes, learns, lock: None };
        let may_be_finished = arguments.resume && place.checkpoint.is_file();
        if is_model(&place.out) {
            if !place.replaces && !may_be_finished {
                return Err(place.is_taken()).hint("--force replaces it; or give another --out");
            }
            let files = other_files(&place.out);
            if !files.is_empty() {
                return Err(SaveError::OtherFiles { path: place.out, files }.into());
            }
        } else if place.out.exists() && !is_empty_folder(&place.out) {
            return Err(SaveError::NotAModel { path: place.out }.into());
        }
        if learns {
            place.lock = Lock::take(&place.out)?;
        }
        if place.checkpoint.exists() && !arguments.resume && learns {
            return Err(place.is_unfinished());
        }
        Ok(place)
    }

    /// Makes the folder that both stand in.
    pub(super) fn prepare(&mut self) -> anyhow::Result<()> {
        if let Some(folder) = self.out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        if self.learns && self.lock.is_none() {
            self.lock = Lock::take(&self.out)?;
        }
        Ok(())
    }

    /// Writes the model. One that came to this place while this was fitted is replaced only by force.
    pub(super) fn save(&self, model: &Model) -> anyhow::Result<()> {
        if self.replaces {
            return Ok(model.save_over(&self.out)?);
        }
        match model.save_new(&self.out) {
            Err(SaveError::Taken { .. }) => {
                let error = anyhow!("{}: another model was written here during the fit", self.out.display());
                let hint = match self.checkpoint.exists() {
                    true => "what was learned is kept: the same command with --resume --force replaces that model",
                    false => "--force replaces it; or give another --out",
                };
                Err(error).hint(hint)
            }
            saved => Ok(saved?),
        }
    }

    /// The model, if the fit that is to be taken up again was killed when it had been written, before the checkpoint was removed.
    pub(super) fn finished(&self, wanted: &FitParams) -> anyhow::Result<Option<Model>> {
        if self.replaces || !is_model(&self.out) {
            return Ok(None);
        }
        if !self.resumes {
            return Err(self.is_taken())
                .hint("it came here while the data was read; --force replaces it, or give another --out");
        }
        let (model, run) = (model::load(&self.out)?, CheckpointInfo::read(&self.checkpoint)?);
        let params = model.params();
        let expected = FitParams {
            learning: Some(run.params),
            scaling: wanted.scaling.clone().or_else(|| params.scaling.clone()),
            ..wanted.clone()
        };
        // No two runs take the same time to the last bit.
        let is_of_this_run = model.metrics().train_seconds.to_bits() == run.train_seconds.to_bits();
        if is_of_this_run && *params == expected {
            return Ok(Some(model));
        }
        Err(self.is_taken()).hint("it is not of the fit that would go on; --force replaces it")
    }

    /// The checkpoint has done its duty.
    pub(super) fn remove_checkpoint(&self) -> std::io::Result<()> {
        match fs::remove_file(&self.checkpoint) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn is_taken(&self) -> anyhow::Error {
        anyhow!("{}: there is a model already", self.out.display())
    }

    fn is_unfinished(&self) -> anyhow::Error {
        let path = self.checkpoint.display();
        let error = match CheckpointInfo::read(&self.checkpoint) {
            Ok(run) => {
                let of = run.params.epochs.map_or_else(String::new, |epochs| format!(" of {epochs}"));
                anyhow!("{path}: a fit of this model was not finished: {} epochs{of} are done", run.epoch)
            }
            Err(error) => error.into(),
        };
        let hint = "--resume, with the other flags as they were, goes on with it; remove the file to begin anew";
        crate::error::Hinted::new(error, hint).into()
    }
}

fn is_empty_folder(path: &std::path::Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
