//! Threads to compute with.
//!
//! The common pool of rayon is never used: a process that was forked has its handle but none of its threads, and would wait for them
//! for ever. Pools for questions are kept by process and size. What takes long, or waits for others, has one of its own.
//!
//! No lock may be taken within a shared pool. A thread that waits there for the others takes up whatever else comes meanwhile: that may want
//! the lock which the thread holds itself, and wait for ever.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::value_error;

type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// A pool of so many threads that belongs to this process, and that others use, too.
///
/// Taken only while Python's lock is held, which whoever forks holds too: so the mutex is never taken by a thread that the fork leaves behind.
pub(crate) fn shared_pool(_py: Python<'_>, n_threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (std::process::id(), n_threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(own_pool(n_threads)?);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// A pool of so many threads for one piece of work: nobody else waits for it. Its threads end when it is dropped.
pub(crate) fn own_pool(n_threads: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .map_err(|error| value_error(format_args!("cannot start {n_threads} threads: {error}; ask for fewer (n_jobs)")))
}
