//! Wall times in files.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// `time` as RFC 3339 in UTC with milliseconds, such as `2026-11-30T03:02:21.000Z`. Times before
/// 1970 give the start of 1970.
pub fn rfc3339(time: SystemTime) -> String {
    let since = since_epoch(time);
    let (days, rest) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Nanoseconds since 1970; 0 for earlier times.
pub(super) fn epoch_nanos(time: SystemTime) -> u64 {
    u64::try_from(since_epoch(time).as_nanos()).unwrap_or(u64::MAX)
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Year, month and day of a day number since 1970-01-01 in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years that start in March put the leap day last; eras of 400 years all have the same length.
    let from_march_0000 = days + 719_468;
    let era = from_march_0000 / 146_097;
    let day_of_era = from_march_0000 % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times() {
        let text =
            |secs, millis: u32| rfc3339(UNIX_EPOCH + Duration::new(secs, millis * 1_000_000));
        assert_eq!(text(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(951_782_399, 999), "2000-02-28T23:59:59.999Z");
        assert_eq!(text(951_782_400, 0), "2000-02-29T00:00:00.000Z");
        assert_eq!(text(951_868_800, 0), "2000-03-01T00:00:00.000Z");
        assert_eq!(text(1_796_007_741, 0), "2026-11-30T03:02:21.000Z");
        assert_eq!(text(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn times_before_the_epoch_do_not_fail() {
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }
}
