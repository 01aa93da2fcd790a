//! Reading one address of the web.
//!
//! A machine without a way out must find that out fast, so connecting has a limit of its own. Proxies are those of the
//! environment, certificates are judged by the system. The body is read on a thread of its own (see `watch.rs`). Which
//! addresses are asked is in `mirror.rs`.

use std::io::{self, Read};
use std::time::Duration;

use ureq::tls::{RootCerts, TlsConfig};

use super::attempt::Trouble;
use super::failure::Failure;
use super::intake::{Budget, Intake};
use super::manifest::PinnedFile;
use super::mirror::without_user;
use super::watch::Pump;

/// Time to find the host, and again to connect to it.
const CONNECT: Duration = Duration::from_secs(5);

/// Time for the server to begin its answer.
const ANSWER: Duration = Duration::from_secs(30);

pub(super) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        // The machine's own roots, so that the authority of a company's proxy is known.
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .proxy(ureq::Proxy::try_from_env())
        .timeout_resolve(Some(CONNECT))
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(ANSWER))
        .http_status_as_error(false)
        .user_agent(concat!("hedgerow/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// An answer that is not the file.
#[derive(Debug, thiserror::Error)]
#[error("HTTP status {0}")]
struct BadStatus(u16);

/// Offers what is at this address to the intake.
pub(super) fn fetch_file(
    agent: &ureq::Agent,
    url: &str,
    pinned: &PinnedFile,
    intake: &mut Intake<'_>,
) -> Result<(), Trouble> {
    let watch = intake.watch;
    let shown = without_user(url);
    let request = agent.get(url).config().timeout_global(watch.time_left()).build();
    let open = move || {
        let response = request.call().map_err(ureq::Error::into_io)?;
        match response.status().as_u16() {
            200 => Ok(response.into_body().into_reader()),
            status => Err(io::Error::other(BadStatus(status))),
        }
    };
    let no_answer = |source: io::Error| match source.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(BadStatus(status)) => Failure::Status { url: shown.clone(), status: *status },
        None => Failure::Unreachable { url: shown.clone(), source },
    };
    let mut body = Pump::start(watch, open).map_err(no_answer)?;
    // The first byte tells a server that does not answer from one whose answer breaks off.
    let mut first = Vec::with_capacity(1);
    if let Err(error) = body.by_ref().take(1).read_to_end(&mut first) {
        watch.check()?;
        return Err(no_answer(error).into());
    }
    // One file, decoded no further than one byte past its pin.
    let budget = Budget::new(pinned.bytes.saturating_add(1));
    intake.offer(std::slice::from_ref(pinned), &shown, io::Cursor::new(first).chain(body), &budget)
}
