// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

extension VisitReport {
  private static let head =
    "number,exhibit,room,major,minor,passed,visitors,visits,attraction,dwell_total_s,dwell_mean_s,dwell_p25_s,dwell_median_s,"
    + "dwell_p75_s,dwell_p90_s,viewing_s,holding,reattraction,immediate,near,far"

  /// The figures of every exhibit as comma-separated values (RFC 4180); withheld and unknown figures are empty.
  public var csv: String {
    var text = Self.head + "\r\n"
    for entry in context.statistics.exhibits {
      text += row(entry).map(Self.quoted).joined(separator: ",") + "\r\n"
    }
    return text
  }

  private func row(_ entry: ExhibitStatistics) -> [String] {
    let exhibit = context.plan.exhibits[entry.exhibit]
    let names = [
      context.number(entry.exhibit), context.title(entry.exhibit),
      context.room(of: entry.exhibit).map(context.roomName) ?? "",
      "\(exhibit.identity.major)", "\(exhibit.identity.minor)",
      context.suppression.shows(entry.passed) ? "\(entry.passed)" : "",
    ]
    guard context.suppression.shows(entry.visitors) else {
      return names + Array(repeating: "", count: 15)
    }
    let dwell = entry.dwell
    let shares = entry.nearness.shares
    return names + [
      "\(entry.visitors)", "\(entry.visits)",
      context.suppression.shows(entry.passed) ? Self.number(entry.attraction) : "",
      Self.number(dwell?.total), Self.number(dwell?.mean), Self.number(dwell?.lowerQuartile),
      Self.number(dwell?.median), Self.number(dwell?.upperQuartile),
      Self.number(dwell?.ninthDecile),
      Self.number(entry.viewingTime), Self.number(entry.holding), Self.number(entry.reattraction),
      Self.number(shares?.immediate), Self.number(shares?.near), Self.number(shares?.far),
    ]
  }

  /// The most important figures of every exhibit as rows of cells, headings first, for a terminal.
  package var rows: [[String]] {
    let phrases = context.phrases
    let head = [
      phrases.number, phrases.exhibit, phrases.room, phrases.visitors, phrases.visits,
      phrases.attraction, phrases.median, phrases.ninety, phrases.holding,
    ]
    return [head]
      + context.statistics.exhibits.map { entry in
        let names = [
          context.number(entry.exhibit), context.title(entry.exhibit),
          context.room(of: entry.exhibit).map(context.roomName) ?? "",
        ]
        guard context.suppression.shows(entry.visitors) else {
          return names + Array(repeating: phrases.few, count: 6)
        }
        let isPassedShown = context.suppression.shows(entry.passed)
        return names + [
          "\(entry.visitors)", "\(entry.visits)",
          isPassedShown ? entry.attraction.map(ReportNumber.percent) ?? "–" : phrases.few,
          entry.dwell.map { ReportNumber.duration($0.median) } ?? "–",
          entry.dwell.map { ReportNumber.duration($0.ninthDecile) } ?? "–",
          entry.holding.map(ReportNumber.percent) ?? "–",
        ]
      }
  }

  private static func number(_ value: Double?) -> String { DecimalText.fixed(value, decimals: 3) }

  /// Returns a field, in quotes if necessary, such that a spreadsheet does not read a name as a formula.
  private static func quoted(_ field: String) -> String {
    var field = field.printable
    if let first = field.unicodeScalars.first, "=+@\t".unicodeScalars.contains(first) {
      field = "'" + field
    }
    guard field.contains(where: { ",\"\r\n".contains($0) || $0 == "\r\n" }) else { return field }
    return "\""
      + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
