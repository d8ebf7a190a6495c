// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Converts between days and dates of the Gregorian calendar only by arithmetic.
enum CivilDate {
  /// Days in 400 years, after which the calendar repeats.
  private static let daysPerEra = 146_097

  /// Returns the days from 1970-01-01 to a date of the years 0 to 9999.
  ///
  /// The calculation uses years that start in March, so that the leap day is the last day.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * daysPerEra + dayOfEra - daysToEpoch
  }

  /// Returns the date a number of days, 0 or more, after 1970-01-01.
  static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + daysToEpoch
    let era = shifted / daysPerEra
    let dayOfEra = shifted - era * daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The number of days of a month, 1 to 12.
  static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysToEpoch = 719_468
}
