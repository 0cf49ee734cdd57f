//! `strftime_now`: the date that some templates put into the prompt.

use std::time::{SystemTime, UNIX_EPOCH};

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A moment in UTC, by calendar.
struct Moment {
    year: i64,
    month: usize,
    day: u64,
    second: u64,
    weekday: usize,
    yearday: u64,
}

impl Moment {
    /// Days since the epoch to the proleptic Gregorian calendar (H. Hinnant's `civil_from_days`).
    fn new(now: SystemTime) -> Self {
        let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let days = seconds / 86_400;
        let shifted = days + 719_468;
        let era = shifted / 146_097;
        let of_era = shifted % 146_097;
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + u64::from(month <= 2);
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        let month = usize::try_from(month).unwrap_or(1);
        let yearday = before[month - 1] + day + u64::from(leap && month > 2);
        Self {
            year: i64::try_from(year).unwrap_or(0),
            month,
            day,
            second: seconds % 86_400,
            weekday: usize::try_from((days + 4) % 7).unwrap_or(0),
            yearday,
        }
    }

    fn field(&self, code: char, padded: bool) -> Option<String> {
        let number = |value: u64, width: usize| {
            if padded { format!("{value:0width$}") } else { value.to_string() }
        };
        let (hour, minute, second) = (self.second / 3600, self.second / 60 % 60, self.second % 60);
        let twelve = if hour.is_multiple_of(12) { 12 } else { hour % 12 };
        let year = self.year.unsigned_abs();
        let month = self.month as u64;
        let all = |codes: &str| strftime_of(self, codes);
        Some(match code {
            'Y' => self.year.to_string(),
            'y' => number(year % 100, 2),
            'C' => number(year / 100, 2),
            'm' => number(month, 2),
            'd' => number(self.day, 2),
            'e' => format!("{:2}", self.day),
            'H' => number(hour, 2),
            'I' => number(twelve, 2),
            'M' => number(minute, 2),
            'S' => number(second, 2),
            'f' => "000000".to_owned(),
            'j' => number(self.yearday, 3),
            'p' => if hour < 12 { "AM" } else { "PM" }.to_owned(),
            'A' => DAYS[self.weekday].to_owned(),
            'a' => DAYS[self.weekday][..3].to_owned(),
            'B' => MONTHS[self.month - 1].to_owned(),
            'b' | 'h' => MONTHS[self.month - 1][..3].to_owned(),
            'w' => self.weekday.to_string(),
            'u' => if self.weekday == 0 { 7 } else { self.weekday }.to_string(),
            'F' => all("%Y-%m-%d"),
            'T' | 'X' => all("%H:%M:%S"),
            'R' => all("%H:%M"),
            'D' | 'x' => all("%m/%d/%y"),
            'c' => all("%a %b %e %H:%M:%S %Y"),
            // transformers formats a moment without a zone.
            'Z' | 'z' => String::new(),
            'n' => "\n".to_owned(),
            't' => "\t".to_owned(),
            '%' => "%".to_owned(),
            _ => return None,
        })
    }
}

/// `now` in UTC as C's `strftime` prints it in the C locale; unknown codes stay as they are.
pub(super) fn strftime(now: SystemTime, format: &str) -> String {
    strftime_of(&Moment::new(now), format)
}

fn strftime_of(moment: &Moment, format: &str) -> String {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(char) = chars.next() {
        if char != '%' {
            out.push(char);
            continue;
        }
        let mut code = chars.next();
        let padded = code != Some('-');
        if !padded {
            code = chars.next();
        }
        if let Some(field) = code.and_then(|code| moment.field(code, padded)) {
            out.push_str(&field);
        } else {
            out.push('%');
            out.extend((!padded).then_some('-'));
            out.extend(code);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn prints_moments() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(strftime(at(0), "%Y-%m-%d %H:%M:%S %A %j"), "1970-01-01 00:00:00 Thursday 001");
        assert_eq!(
            strftime(at(1_709_209_845), "%d %b %Y, %-d %B, %I:%M %p, %j, %q %%"),
            "29 Feb 2024, 29 February, 12:30 PM, 060, %q %"
        );
        assert_eq!(strftime(at(1_798_675_199), "%F %a"), "2026-12-30 Wed");
        assert_eq!(strftime(at(951_782_400), "%F"), "2000-02-29");
    }
}
