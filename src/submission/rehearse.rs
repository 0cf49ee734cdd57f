//! tbd
/// x
pub fn rehearse() {}
