//! Today's date and the time, without a dependency.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_A_DAY: u64 = 86_400;

/// Today in UTC, as `2025-12-31`. A clock before 1970 gives 1970-01-01.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    iso_date(since.as_secs() / SECONDS_A_DAY)
}

/// Now in UTC, as `2025-12-31T23:59:59Z`. Such texts stand in the order of their times.
pub fn now() -> String {
    iso_time(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

fn iso_time(seconds: u64) -> String {
    let (day, second) = (seconds / SECONDS_A_DAY, seconds % SECONDS_A_DAY);
    format!("{}T{:02}:{:02}:{:02}Z", iso_date(day), second / 3600, second / 60 % 60, second % 60)
}

/// The date of a day by its number, 0 for 1970-01-01.
///
/// Years are counted from March, so that the leap day is the last of its year; an era is 400 years, 146097 days
/// (Hinnant, "chrono-compatible low-level date algorithms").
fn iso_date(day: u64) -> String {
    let day = day + 719_468; // from 0000-03-01
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(iso_date(0), "1970-01-01");
        assert_eq!(iso_date(10_956), "1999-12-31"); // 30 years of 365 days, 7 leap days, less one
        assert_eq!(iso_date(11_016), "2000-02-29"); // 60 days on: 1 + 31 + 28
        assert_eq!(iso_date(11_017), "2000-03-01");
        assert_eq!(iso_date(20_000), "2024-10-04");
        assert_eq!(iso_time(20_000 * SECONDS_A_DAY + 3 * 3600 + 4 * 60 + 5), "2024-10-04T03:04:05Z");
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let leap = |year: u64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let mut day = 0;
        for year in 1970..2501 {
            let february = if leap(year) { 29 } else { 28 };
            for (month, days) in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].into_iter().enumerate() {
                for date in 1..=days {
                    assert_eq!(iso_date(day), format!("{year:04}-{:02}-{date:02}", month + 1));
                    day += 1;
                }
            }
        }
    }
}
