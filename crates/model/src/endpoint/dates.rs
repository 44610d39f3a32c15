//! Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The seconds from the start of 1970 to a date. The two forms that HTTP had before, which no server sends any more, are not read.
pub(crate) fn seconds(date: &str) -> Option<i64> {
    let (day_of_week, rest) = date.trim().split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split(' ').collect::<Vec<_>>()[..] else { return None };
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let (day, year) = (digits(day, 2)?, digits(year, 4)?);
    let (hour, minute, second) = (digits(hour, 2)?, digits(minute, 2)?, digits(second, 2)?);
    // The sixtieth second is one that was put in, and counts as the first of the next minute.
    let is_time = hour < 24 && minute < 60 && second <= 60;
    let is_date = DAYS.contains(&day_of_week) && (1..=days_of(month, year)).contains(&day);
    (is_time && is_date).then(|| days_before(day, month, year) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(month: i64, year: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days between the start of 1970 and a date.
fn days_before(day: i64, month: i64, year: i64) -> i64 {
    // Whole years, each with the leap days of the years before it.
    let days_until =
        |year: i64| 365 * year + (year - 1).div_euclid(4) - (year - 1).div_euclid(100) + (year - 1).div_euclid(400);
    let months: i64 = (1..month).map(|month| days_of(month, year)).sum();
    days_until(year) - days_until(1970) + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_other_programs() {
        // What `date --utc +%s` says.
        for (date, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Fri, 31 Dec 2100 23:59:59 GMT", 4_133_980_799),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ] {
            assert_eq!(seconds(date), Some(expected), "{date}");
        }
        let inserted = seconds("Sat, 31 Dec 2016 23:59:60 GMT");
        assert_eq!(inserted, seconds("Sun, 01 Jan 2017 00:00:00 GMT"));
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for text in [
            "",
            "120",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Day, 06 Nov 1994 08:49:37 GMT",
            "Mon, 29 Feb 2100 00:00:00 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 19941 08:49:37 GMT",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
