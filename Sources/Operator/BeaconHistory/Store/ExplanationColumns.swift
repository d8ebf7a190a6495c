// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The explanation of a crossing as the columns of its row: whole numbers, most of which take one byte or none.
///
/// The text that it stands for follows from it to the byte; a text that does not is kept as it is.
struct ExplanationColumns {
  var rule: Explanation.Rule
  var identity: BeaconIdentity?
  var reports: Int
  var rssi: Int?
  var power: Int?
  var centimeters: Int?
  /// The advertising interval in microseconds.
  var interval: Int?
  /// The silence in microseconds.
  var gap: Int?
  /// Reports, centimeters or microseconds, or the name of a place; as the rule compares.
  var threshold: SQLiteValue
  var place: String?
  /// How probable the place is.
  var percent: Int?

  /// Reads a text; `nil` for one that columns cannot keep whole.
  init?(json: String) {
    guard let explanation = EventLineReader.explanation(json),
      let columns = ExplanationColumns(explanation), columns.json == json
    else { return nil }
    self = columns
  }

  /// Reads the columns of a row from the seventh on; `nil` if they contain values that this program did not write.
  init?(_ row: SQLiteRow) {
    guard let rule = Explanation.Rule(rawValue: row.text(7)), let reports = row.optional(11) else {
      return nil
    }
    self.rule = rule
    self.reports = reports
    if let uuid = UUIDText.parse(row.text(8)), let major = UInt16(exactly: row.integer(9)),
      let minor = UInt16(exactly: row.integer(10))
    {
      identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }
    (rssi, power, centimeters) = (row.optional(12), row.optional(13), row.optional(14))
    (interval, gap) = (row.optional(15), row.optional(16))
    threshold = rule.comparesPlaces ? .text(row.text(17)) : .integer(row.integer(17))
    (place, percent) = (row.optionalText(18), row.optional(19))
  }

  private init?(_ explanation: Explanation) {
    rule = explanation.rule
    identity = explanation.identity
    reports = explanation.reports
    rssi = explanation.rssi.map(Int.init)
    power = explanation.power.map(Int.init)
    centimeters = explanation.distance.flatMap(Self.hundredths)
    interval = explanation.interval.map { Int($0.microseconds) }
    gap = explanation.gap.map { Int($0.microseconds) }
    switch explanation.threshold {
    case .reports(let count): threshold = SQLiteValue(count)
    case .distance(let meters): threshold = SQLiteValue(Self.hundredths(meters))
    case .silence(let span): threshold = .integer(span.microseconds)
    case .place(let name): threshold = .text(name)
    }
    place = explanation.place
    percent = explanation.probability.flatMap(Self.hundredths)
  }

  private static func hundredths(_ value: Double) -> Int? {
    Int(exactly: (value * 100).rounded(.toNearestOrAwayFromZero))
  }

  /// The explanation as JSON, as an event has it; `nil` if the threshold does not fit the rule.
  var json: String? {
    guard let explanation else { return nil }
    return EventLineWriter.json(explanation.written(.line))
  }

  private var explanation: Explanation? {
    guard let threshold = explanationThreshold else { return nil }
    return Explanation(
      identity: identity,
      reports: reports,
      rssi: rssi.flatMap { Int8(exactly: $0) },
      power: power.flatMap { Int8(exactly: $0) },
      distance: centimeters.map { Double($0) / 100 },
      interval: interval.map { TimeSpan(microseconds: Int64($0)) },
      gap: gap.map { TimeSpan(microseconds: Int64($0)) },
      threshold: threshold,
      rule: rule,
      place: place,
      probability: percent.map { Double($0) / 100 }
    )
  }

  private var explanationThreshold: Explanation.Threshold? {
    switch (rule, threshold) {
    case (.firstReport, .integer(let number)), (.enoughReports, .integer(let number)):
      .reports(Int(clamping: number))
    case (.enterWithin, .integer(let number)), (.leaveBeyond, .integer(let number)):
      .distance(meters: Double(number) / 100)
    case (.fixedExit, .integer(let number)), (.learnedExit, .integer(let number)),
      (.unlearnedExit, .integer(let number)), (.silentAfterUnknown, .integer(let number)):
      .silence(TimeSpan(microseconds: number))
    case (.atPlace, .text(let name)), (.atOtherPlace, .text(let name)), (.nowhere, .text(let name)):
      .place(name)
    default: nil
    }
  }
}

extension Explanation.Rule {
  /// Whether the rule compares places, so that its threshold is a name.
  fileprivate var comparesPlaces: Bool {
    switch self {
    case .atPlace, .atOtherPlace, .nowhere: true
    case .firstReport, .enoughReports, .enterWithin, .leaveBeyond, .fixedExit, .learnedExit,
      .unlearnedExit, .silentAfterUnknown:
      false
    }
  }
}
