// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

extension VisitReport {
  /// A figure of an exhibit; `nil` if it is withheld or not known.
  private enum Figure {
    case text(String)
    case count(Int?)
    case number(Double?)
  }

  private static let head =
    "number,exhibit,room,major,minor,passed,visitors,visits,attraction,dwell_total_s,dwell_mean_s,dwell_p25_s,dwell_median_s,"
    + "dwell_p75_s,dwell_p90_s,viewing_s,holding,reattraction,immediate,near,far,attraction_from,attraction_to,holding_from,"
    + "holding_to,reattraction_from,reattraction_to"

  /// The figures of every exhibit as comma-separated values (RFC 4180); withheld and unknown figures are empty.
  public var csv: String {
    var writer = CSVWriter(lineEnd: "\r\n")
    writer.row(Self.head.split(separator: ",").map(String.init))
    for entry in context.statistics.exhibits { writer.row(figures(entry).map(Self.field)) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The same figures as JSON Lines, an object for each exhibit; withheld and unknown figures are `null`.
  package var jsonLines: [UInt8] {
    var writer = JSONLineWriter()
    for entry in context.statistics.exhibits {
      writer.beginLine("museum.exhibit")
      for (name, figure) in zip(Self.head.split(separator: ","), figures(entry)) {
        writer.key(String(name))
        switch figure {
        case .text(let text): writer.string(text)
        case .count(let count): writer.integer(count)
        case .number(let number): writer.hundredths(number)
        }
      }
      writer.endLine()
    }
    return writer.bytes
  }

  private func figures(_ entry: ExhibitStatistics) -> [Figure] {
    let exhibit = context.plan.exhibits[entry.exhibit]
    let isPassedShown = context.suppression.shows(entry.passed)
    let names: [Figure] = [
      .text(context.number(entry.exhibit)), .text(context.title(entry.exhibit)),
      .text(context.room(of: entry.exhibit).map(context.roomName) ?? ""),
      .count(Int(exhibit.identity.major)), .count(Int(exhibit.identity.minor)),
      .count(isPassedShown ? entry.passed : nil),
    ]
    guard context.suppression.shows(entry.visitors) else {
      return names + Array(repeating: .count(nil), count: 21)
    }
    let dwell = entry.dwell
    let shares = entry.nearness.shares
    let suppression = context.suppression
    // Figures that follow from rounded counts are ranges.
    let isExact = suppression.isEverything
    let ranges = [
      isPassedShown ? entry.attraction(by: suppression) : nil,
      entry.holding(by: suppression), entry.reattraction(by: suppression),
    ].flatMap { [Figure.number($0?.lowerBound), .number($0?.upperBound)] }
    return names + [
      .count(entry.visitors), .count(entry.visits), .number(isExact ? entry.attraction : nil),
      .number(dwell?.total), .number(dwell?.mean), .number(dwell?.lowerQuartile),
      .number(dwell?.median), .number(dwell?.upperQuartile), .number(dwell?.ninthDecile),
      .number(entry.viewingTime), .number(isExact ? entry.holding : nil),
      .number(isExact ? entry.reattraction : nil),
      .number(shares?.immediate), .number(shares?.near), .number(shares?.far),
    ] + ranges
  }

  /// The most important figures of every exhibit as rows of cells, headings first, for a terminal.
  package var rows: [[String]] {
    let phrases = context.phrases
    let head = [
      phrases.number, phrases.exhibit, phrases.room, phrases.visitors, phrases.visits,
      phrases.attraction, phrases.median, phrases.ninety, phrases.holding,
    ]
    // With its type, and in steps: otherwise the oldest compiler does not get to an end.
    let exhibits = context.statistics.exhibits.map { entry -> [String] in
      let names = [
        context.number(entry.exhibit), context.title(entry.exhibit),
        context.room(of: entry.exhibit).map(context.roomName) ?? "",
      ]
      guard context.suppression.shows(entry.visitors) else {
        return names + Array(repeating: phrases.few, count: 6)
      }
      let isPassedShown = context.suppression.shows(entry.passed)
      let attraction = entry.attraction(by: context.suppression).map(ReportNumber.percent) ?? "–"
      let none = context.suppression.showsSummary(of: entry.visitors) ? "–" : phrases.few
      let hasDecile = context.suppression.showsDecile(of: entry.visitors)
      let decile = entry.dwell?.ninthDecile.map(ReportNumber.duration)
      return names + [
        "\(entry.visitors)", "\(entry.visits)", isPassedShown ? attraction : phrases.few,
        entry.dwell.map { ReportNumber.duration($0.median) } ?? none,
        decile ?? (hasDecile ? "–" : phrases.few),
        entry.holding(by: context.suppression).map(ReportNumber.percent) ?? none,
      ]
    }
    return [head] + exhibits
  }

  private static func field(_ figure: Figure) -> String {
    switch figure {
    case .text(let text): text
    case .count(let count): count.map(String.init) ?? ""
    case .number(let number): DecimalText.fixed(number, decimals: 3)
    }
  }
}
