//! Moments as people and programs write them.

const SECONDS_OF_A_DAY: u64 = 86_400;

/// Seconds since 1970 as ISO 8601 in UTC: `2026-11-17T23:59:59Z`. Beyond the year 9999, which only a damaged file has, as a number.
pub(crate) fn iso8601(seconds: u64) -> String {
    let (days, second) = (seconds / SECONDS_OF_A_DAY, seconds % SECONDS_OF_A_DAY);
    let Some((year, month, day)) = date(days) else { return seconds.to_string() };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day since 1970, in the Gregorian calendar.
fn date(mut days: u64) -> Option<(u64, u64, u64)> {
    // The years are counted one by one: there are few, and nothing to get wrong.
    let is_leap = |year: u64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
        if year > 9999 {
            return None;
        }
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    Some((year, month, days + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_date_u() {
        // By `date -u -d @...`.
        assert_eq!(iso8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso8601(1_700_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(iso8601(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(iso8601(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(iso8601(253_402_300_799), "9999-12-31T23:59:59Z");
        assert_eq!(iso8601(u64::MAX), u64::MAX.to_string());
    }
}
