//! Reading one address of the web.
//!
//! A machine without a way out must find that out fast, so connecting has a limit of its own. Proxies are those of the
//! environment, certificates are judged by the system. The body is read on a thread of its own (see `watch.rs`). Which
//! addresses are asked is in `mirror.rs`.

use std::io::{self, Read};
use std::net::{Ipv4Addr, Ipv6Addr};
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

/// A client for the addresses below `base`.
pub(super) fn agent(base: &str) -> ureq::Agent {
    // What is on this machine is not to be had through a proxy on another one.
    let proxy = if is_loopback(base) { None } else { ureq::Proxy::try_from_env() };
    ureq::Agent::config_builder()
        // The machine's own roots, so that the authority of a company's proxy is known.
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .proxy(proxy)
        .timeout_resolve(Some(CONNECT))
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(ANSWER))
        .http_status_as_error(false)
        .user_agent(concat!("hedgerow/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

fn is_loopback(url: &str) -> bool {
    let url = without_user(url);
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if let Some(bracketed) = host.strip_prefix('[') {
        let address = bracketed.split(']').next().unwrap_or(bracketed);
        return address.parse().is_ok_and(|address: Ipv6Addr| address.is_loopback());
    }
    let host = host.split(':').next().unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback())
}

/// The error without any part of the user and password of an address, which the client quotes if it cannot read it.
fn without_secret(error: io::Error, url: &str) -> io::Error {
    let Some((user, _)) = url.rsplit_once('@') else { return error };
    let user = user.split_once("://").map_or(user, |(_, user)| user);
    let text = error.to_string();
    if user.split([':', '/', '@']).any(|part| !part.is_empty() && text.contains(part)) {
        return io::Error::new(error.kind(), "the address or the answer is not valid");
    }
    error
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
        None => Failure::Unreachable { url: shown.clone(), source: without_secret(source, url) },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_known() {
        for url in ["http://127.0.0.1:80/x", "https://127.9.9.9", "http://LOCALHOST:1/a", "http://me:x@[::1]:8/a"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["http://128.0.0.1", "https://localhost.example", "http://127.0.0.1.example/", "http://[::2]/"] {
            assert!(!is_loopback(url), "{url}");
        }
    }

    #[test]
    fn an_error_that_quotes_a_password_is_not_shown() {
        let url = "http://me:sec/ret@host/x";
        for text in [format!("bad uri: {url}"), "invalid port sec".to_owned()] {
            assert!(!without_secret(io::Error::other(text), url).to_string().contains("sec"));
        }
        assert_eq!(without_secret(io::Error::other("refused"), url).to_string(), "refused");
    }
}
