// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The content of the operator's page at one time.
///
/// The visitor's permission also limits this page: the operator sees nothing that the guide may not know.
public struct OperatorState: Sendable {
  /// The server's counts of its readers.
  public struct Readers: Sendable, Equatable {
    /// The number of open streams.
    public var streams: Int
    /// The number of streams that were closed because their reader was too slow.
    public var dropped: Int
    /// The number of refused requests.
    public var refused: Int

    /// Creates counts.
    public init(streams: Int = 0, dropped: Int = 0, refused: Int = 0) {
      self.streams = streams
      self.dropped = dropped
      self.refused = refused
    }
  }

  private let snapshot: GuideSnapshot
  private let view: GuideView
  private let plan: Plan
  private let language: String
  private let radios: RadioHealth
  private let announced: Int
  private let readers: Readers

  /// Creates the content for an operator from a guide's snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The guide's snapshot.
  ///   - plan: The museum.
  ///   - language: The language of names.
  ///   - radios: The health of the receivers.
  ///   - announced: The number of exhibits announced since the start.
  ///   - readers: The server's counts of its readers.
  public init(
    _ snapshot: GuideSnapshot,
    of plan: Plan,
    in language: String,
    radios: RadioHealth = RadioHealth(),
    announced: Int = 0,
    readers: Readers = Readers()
  ) {
    self.snapshot = snapshot
    view = snapshot.permitted
    self.plan = plan
    self.language = language
    self.radios = radios
    self.announced = announced
    self.readers = readers
  }

  /// The state as one JSON object on one line; positions are in the units of the drawing on ``OperatorPage``.
  public var json: String {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("time")
    writer.string(snapshot.time.map { ReportNumber.clock($0) + " UTC" })
    writer.key("note")
    writer.string(snapshot.isOver ? Self.over : nil)
    writer.key("facts")
    write(facts, to: &writer)
    writePlace(to: &writer)
    writer.key("near")
    write(nearRows, to: &writer)
    writer.key("radios")
    write(radioRows, to: &writer)
    writer.key("counts")
    write(counts, to: &writer)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static let over = "The source has ended: this is its last state."

  private func write(_ rows: [[String]], to writer: inout JSONLineWriter) {
    writer.beginArray()
    for row in rows {
      writer.beginArray()
      for cell in row { writer.string(cell) }
      writer.endArray()
    }
    writer.endArray()
  }

  // MARK: The guide

  private var facts: [[String]] {
    let confidence = ConfidenceGrade(view.confidence)
    return [
      ["Guide", Self.words(view.status)],
      ["Permission", permission],
      ["Usage indicator", Self.words(snapshot.indicator)],
      ["Room", view.room?.name[language] ?? "not known"],
      [
        "In front of the visitor",
        view.exhibit.map {
          "\($0.title[language]) (\(VisitorPhrases.english.word(confidence)), "
            + "\(ReportNumber.percent(view.confidence)))"
        } ?? "nothing",
      ],
    ]
  }

  private static func words(_ status: GuideStatus) -> String {
    switch status {
    case .asking: "waits for permission"
    case .denied: "may not know where the visitor is"
    case .reduced: "may know only roughly, and shows nothing"
    case .looking: "searches for the museum"
    case .outside: "receives no beacon of the museum, and pauses"
    case .inside: "inside, ranging"
    }
  }

  private static func words(_ indicator: UsageIndicator.Style) -> String {
    switch indicator {
    case .none: "off"
    case .hollow: "hollow: may receive location"
    case .solid: "solid: just received location"
    case .session: "session in the background"
    }
  }

  private var permission: String {
    let precision = snapshot.accuracy == .full ? "precise" : "approximate"
    return switch snapshot.authorization {
    case .notDetermined: "not asked yet"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorizedAlways: "always, \(precision)"
    case .authorizedWhenInUse: "while using, \(precision)"
    }
  }

  private func writePlace(to writer: inout JSONLineWriter) {
    writer.key("room")
    writer.integer(view.room.flatMap { plan.rooms.firstIndex(of: $0) })
    writer.key("exhibit")
    writer.integer(view.exhibit.flatMap { plan.exhibits.firstIndex(of: $0) })
    let drawing = FloorDrawing.all(plan).first { $0.level == view.room?.level }
    let place = view.position.flatMap { position in drawing.map { $0.place(position) } }
    writer.key("level")
    writer.integer(place == nil ? nil : drawing?.level)
    writer.key("x")
    writer.hundredths(place?.x)
    writer.key("y")
    writer.hundredths(place?.y)
    writer.key("received")
    writer.beginArray()
    for near in view.near { writer.integer(plan.exhibits.firstIndex(of: near.exhibit)) }
    writer.endArray()
  }

  /// The number of nearby exhibits listed, few enough to read at a glance; the drawing marks all of them.
  private static let nearLimit = 8

  private var nearRows: [[String]] {
    view.near.prefix(Self.nearLimit).map { near in
      [
        plan.exhibits.firstIndex(of: near.exhibit).map { "\($0 + 1)" } ?? "",
        near.exhibit.title[language],
        near.proximity.name,
        near.distance.map { DecimalText.fixed($0.meters, decimals: 1) + " m" } ?? "",
        ReportNumber.percent(near.confidence),
      ]
    }
  }

  // MARK: The machine

  private var radioRows: [[String]] {
    radios.receivers.enumerated().map { number, receiver in
      let age = receiver.last.flatMap { last in radios.now.map { ($0 - last).seconds } }
      return [
        radios.name(number), Self.words(receiver.state), "\(receiver.reports)",
        age.map { DecimalText.fixed($0, decimals: 1) + " s ago" } ?? "never",
      ]
    }
  }

  private static func words(_ state: RadioState) -> String {
    switch state {
    case .listening: "listening"
    case .off: "off"
    case .deaf: "deaf: receives nothing although it should"
    case .gone: "gone"
    }
  }

  private var counts: [[String]] {
    [
      ["Advertisements received", "\(radios.receivers.reduce(0) { $0 + $1.reports })"],
      ["Exhibits announced", "\(announced)"],
      ["Beacons outside the plan", "\(view.strangers.count)"],
      ["Open pages", "\(readers.streams)"],
      ["Slow readers dropped", "\(readers.dropped)"],
      ["Requests refused", "\(readers.refused)"],
    ]
  }
}
