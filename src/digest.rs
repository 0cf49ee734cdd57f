//! Digests that a user can recompute: SHA-256 of files and bodies; BLAKE2b only for the salt.
//!
//! Uses nothing else of the crate.
