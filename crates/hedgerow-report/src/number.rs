//! Numbers as people read them. What is not finite is a dash.

/// Three significant digits; whole numbers and thousands as they are counted: `0.0213`, `33.3`, `5`, `60,000`, `1.2e-7`.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "-".to_owned()
    } else if size >= 1e15 || (size > 0.0 && size < 1e-4) {
        format!("{value:.1e}")
    } else if size >= 1000.0 || value == value.trunc() {
        let whole = value.round() as i64;
        format!("{}{}", if whole < 0 { "-" } else { "" }, count(whole.unsigned_abs()))
    } else {
        let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    }
}

/// A count, with a comma between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share from 0 to 1 in percent.
pub(crate) fn percent(share: f64) -> String {
    percent_of_hundred(100.0 * share)
}

/// A number of percent: two decimals below ten, then one, none from a hundred.
pub(crate) fn percent_of_hundred(value: f64) -> String {
    if !value.is_finite() {
        "-".to_owned()
    } else if value.abs() < 9.995 {
        format!("{value:.2} %")
    } else if value < 99.95 {
        format!("{value:.1} %")
    } else {
        format!("{value:.0} %")
    }
}

/// A number of bytes for people, in units of 1000, as disks count: `54.9 MB`.
pub fn bytes(size: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if size < 1000 {
        return format!("{size} B");
    }
    let mut value = size as f64 / 1000.0;
    let mut unit = 0;
    // 999.95 would be shown as 1000.0.
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

/// A time in seconds, or minutes and hours.
pub(crate) fn seconds(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    match value.round() as u64 {
        0..120 => format!("{} s", number(value)),
        whole @ 120..7200 => format!("{} min {:02} s", whole / 60, whole % 60),
        whole => format!("{} h {:02} min", count(whole / 3600), whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_matter() {
        let written = [33.333, 0.021_34, 5.0, 0.0, -1.5, 60_000.0, -1234.5, 999.9, 1.2e-7, f64::NAN].map(number);
        assert_eq!(written, ["33.3", "0.0213", "5", "0", "-1.50", "60,000", "-1,235", "1000", "1.2e-7", "-"]);
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn amounts_have_their_units() {
        assert_eq!(
            [0.0142, 0.713, 0.9994, 1.0, f64::INFINITY].map(percent),
            ["1.42 %", "71.3 %", "99.9 %", "100 %", "-"]
        );
        assert_eq!([999, 54_321, 2_000_000].map(bytes), ["999 B", "54.3 kB", "2.0 MB"]);
        assert_eq!([1000, 999_999, 5_000_000_000].map(bytes), ["1.0 kB", "1.0 MB", "5.0 GB"]);
        assert_eq!([11.25, 125.0, 7260.0, f64::NAN].map(seconds), ["11.2 s", "2 min 05 s", "2 h 01 min", "-"]);
    }
}
