//! Threads to compute with.
//!
//! The common pool of rayon is never used: a process that was forked has its handle but none of its threads, and would wait for them
//! for ever. Pools are kept by process and size.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::value_error;

type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// A pool of so many threads that belongs to this process.
///
/// Taken only while Python's lock is held, which whoever forks holds too: so the mutex is never taken by a thread that the fork leaves behind.
pub(crate) fn pool(_py: Python<'_>, n_threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (std::process::id(), n_threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().map_err(|error| {
        value_error(format_args!("cannot start {n_threads} threads: {error}; ask for fewer (n_jobs)"))
    })?;
    let pool = Arc::new(pool);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// Gives a pool to the work that was left to itself in it: whoever asks for as many threads gets another. Its threads end with that work.
pub(crate) fn forget(_py: Python<'_>, pool: &Arc<ThreadPool>) {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    pools.get_or_insert_default().retain(|_, kept| !Arc::ptr_eq(kept, pool));
}
