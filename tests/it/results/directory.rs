//! Result directories on a real disk.
