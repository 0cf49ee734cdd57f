//! The data set's own replies, as the table that the simulated endpoint answers from.
