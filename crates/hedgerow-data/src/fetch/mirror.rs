//! Mirrors of a set: bases on the web below which its files are.
//!
//! Each file is one address, `BASE/NAME.gz`. The user's own mirror comes first and may be plain http: trust is in the
//! hash. How one address is read is in `https.rs`, which the feature of that name brings.

use super::attempt::Trouble;
use super::intake::Intake;
use super::manifest::RegisteredSet;

/// A place that has the files of a set.
pub(super) struct Mirror {
    base: String,
    /// Endings tried in turn. The user's mirror may have plain copies of the files.
    endings: &'static [&'static str],
}

impl Mirror {
    /// The mirrors of a set, the user's first: there the files of each set are in a folder of its name.
    pub(super) fn all(set: &RegisteredSet, own: Option<&str>) -> Vec<Self> {
        let own = own
            .map(|base| Self { base: format!("{}/{}", base.trim_end_matches('/'), set.name), endings: &[".gz", ""] });
        let known = set.sources.mirrors.iter().map(|base| Self { base: base.clone(), endings: &[".gz"] });
        own.into_iter().chain(known).collect()
    }

    /// What a person would type to get the first missing file.
    pub(super) fn command(&self, intake: &Intake<'_>) -> String {
        let file = intake.wanted().first().map(|file| file.name.as_str()).unwrap_or_default();
        format!("curl -fLO {}/{file}{}", without_user(&self.base), self.endings[0])
    }

    /// Gets what is wanted, file by file, until all is there or one fails: a mirror that does not answer for one file is
    /// not asked for the others.
    #[cfg(feature = "https")]
    pub(super) fn fetch(&self, intake: &mut Intake<'_>) -> Result<(), Trouble> {
        use super::failure::Failure;

        let agent = super::https::agent(&self.base);
        for pinned in intake.wanted().to_vec() {
            let mut not_found = None;
            for ending in self.endings {
                let url = format!("{}/{}{ending}", self.base, pinned.name);
                match super::https::fetch_file(&agent, &url, &pinned, intake) {
                    Err(Trouble::Failed(failure @ Failure::Status { status: 404, .. })) => not_found = Some(failure),
                    result => {
                        result?;
                        not_found = None;
                        break;
                    }
                }
            }
            if let Some(failure) = not_found {
                return Err(failure.into());
            }
        }
        Ok(())
    }

    #[cfg(not(feature = "https"))]
    pub(super) fn fetch(&self, _intake: &mut Intake<'_>) -> Result<(), Trouble> {
        Err(Trouble::Skipped(super::attempt::Skip::BuiltWithoutHttps))
    }
}

/// The address without the user and password that it may carry: all up to the last `@`.
///
/// A password may have a `/` that should have been written otherwise, and then nothing tells where it ends. Rather too
/// little of an odd address is shown than a part of a password.
pub(super) fn without_user(url: &str) -> String {
    let Some((user, rest)) = url.rsplit_once('@') else { return url.to_owned() };
    match user.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://{rest}"),
        None => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_user;

    #[test]
    fn user_and_password_are_not_shown() {
        assert_eq!(without_user("https://me:secret@host:8080/b/c"), "https://host:8080/b/c");
        assert_eq!(without_user("me:secret@host/b"), "host/b");
        assert_eq!(without_user("http://me:sec/ret@host/b"), "http://host/b");
        assert_eq!(without_user("http://me:sec@ret@host/b"), "http://host/b");
        assert_eq!(without_user("http://host"), "http://host");
        assert_eq!(without_user("not an address"), "not an address");
    }
}
