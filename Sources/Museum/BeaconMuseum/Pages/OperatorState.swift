// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats

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
  private let phrases: OperatorPhrases
  private let radios: RadioHealth
  private let announced: Int
  private let readers: Readers
  private let names: NameBook
  private let zone: LocalZone
  private let token: String?

  /// Creates the content for an operator from a guide's snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The guide's snapshot.
  ///   - plan: The museum.
  ///   - language: The language of the page.
  ///   - radios: The health of the receivers.
  ///   - announced: The number of exhibits announced since the start.
  ///   - readers: The server's counts of its readers.
  ///   - names: The names of beacons that the plan does not contain.
  ///   - zone: The zone of the clock.
  ///   - token: The page's token for the next visitor; `nil` without another visitor.
  package init(
    _ snapshot: GuideSnapshot,
    of plan: Plan,
    in language: String,
    radios: RadioHealth = RadioHealth(),
    announced: Int = 0,
    readers: Readers = Readers(),
    names: NameBook = NameBook(),
    zone: LocalZone = .utc,
    token: String? = nil
  ) {
    self.snapshot = snapshot
    view = snapshot.permitted
    self.plan = plan
    self.language = language
    phrases = OperatorPhrases.of(language)
    self.radios = radios
    self.announced = announced
    self.readers = readers
    self.names = names
    self.zone = zone
    self.token = token
  }

  /// The state as one JSON object on one line; positions are in the units of the drawing on ``OperatorPage``.
  public var json: String {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("time", snapshot.time.map(clock))
    writer.string("note", note)
    writer.key("facts")
    write(facts, to: &writer)
    writePlace(to: &writer)
    writer.key("near")
    write(nearRows, to: &writer)
    writer.key("radios")
    write(radioRows, to: &writer)
    writer.key("counts")
    write(counts, to: &writer)
    writer.string("token", token)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The guide's local time, and its zone.
  private func clock(_ time: Timestamp) -> String {
    let offset = zone.offset(time)
    return ReportNumber.clock(offset.moved(time)) + " " + RowClock.name(offset)
  }

  private var note: String? {
    let parts = [
      VisitorPhrases.of(language).note(of: snapshot.origin), snapshot.isOver ? phrases.over : nil,
    ]
    let text = parts.compactMap { $0 }.joined(separator: " ")
    return text.isEmpty ? nil : text
  }

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
      [phrases.room, view.room?.name[language] ?? phrases.notKnown],
      [
        phrases.shown,
        view.exhibit.map {
          "\($0.title[language]) (\(VisitorPhrases.of(language).word(confidence)), "
            + String(ReportNumber.percent(view.confidence).map { $0 == " " ? "\u{A0}" : $0 }) + ")"
        } ?? phrases.nothing,
      ],
      [phrases.guide, words(view.status)],
      [phrases.permission, permission],
      [phrases.indicator, phrases.name(snapshot.indicator)],
    ]
  }

  private func words(_ status: GuideStatus) -> String {
    switch status {
    case .asking: phrases.asking
    case .denied: phrases.denied
    case .reduced: phrases.reduced
    case .looking: phrases.looking
    case .outside: phrases.outside
    case .inside: phrases.inside
    }
  }

  private var permission: String {
    ScreenPhrases.of(language).permission(snapshot.authorization, snapshot.accuracy)
  }

  private func writePlace(to writer: inout JSONLineWriter) {
    writer.integer("room", view.room.flatMap { plan.rooms.firstIndex(of: $0) })
    writer.integer("index", view.exhibit.flatMap { plan.exhibits.firstIndex(of: $0) })
    DrawnPlace.write(DrawnPlace(view, plan), to: &writer)
    writer.key("received")
    writer.beginArray()
    for near in view.near { writer.integer(plan.exhibits.firstIndex(of: near.exhibit)) }
    writer.endArray()
  }

  /// For each received exhibit: its index in the plan, how near it is, and its share.
  private var nearRows: [[String]] {
    let words = ScreenPhrases.of(language)
    return view.near.compactMap { near in
      guard let index = plan.exhibits.firstIndex(of: near.exhibit) else { return nil }
      let distance = near.distance.map { DecimalText.fixed($0.meters, decimals: 1) + " m" }
      let proximity = words.name(near.proximity) + (near.isHeld ? "~" : "")
      return [
        "\(index)", [proximity, distance ?? ""].filter { !$0.isEmpty }.joined(separator: " "),
        ReportNumber.percent(near.confidence),
      ]
    }
  }

  // MARK: The machine

  /// Whether the visitor's permission gives no place: a reader of this page then learns nothing of beacons either.
  private var isLimited: Bool { [.asking, .denied, .reduced].contains(view.status) }

  private var radioRows: [[String]] {
    radios.receivers.enumerated().compactMap { number, receiver in
      guard !isLimited else {
        return receiver.stated.map { [radios.name(number), words($0), "–", "–"] }
      }
      let age = receiver.last.flatMap { last in radios.now.map { ($0 - last).seconds } }
      return [
        radios.name(number), words(receiver.state), "\(receiver.reports)",
        age.map { phrases.ago.filled(DecimalText.fixed($0, decimals: 1)) } ?? phrases.never,
      ]
    }
  }

  private func words(_ state: RadioState) -> String {
    switch state {
    case .listening: phrases.listening
    case .off: phrases.off
    case .deaf: phrases.deaf
    case .gone: phrases.gone
    }
  }

  private var counts: [[String]] {
    let reports = radios.receivers.reduce(0) { $0 + $1.reports }
    return [
      [phrases.advertisements, isLimited ? "–" : "\(reports)"],
      [phrases.announced, "\(announced)"],
      [phrases.strangers, strangers],
      [phrases.readers, "\(readers.streams)"],
      [phrases.dropped, "\(readers.dropped)"],
      [phrases.refused, "\(readers.refused)"],
    ]
  }

  /// The most beacons outside the plan that are named.
  private static let namedStrangers = 3

  /// The number of beacons outside the plan, and the first of them by name.
  private var strangers: String {
    let first = view.strangers.prefix(Self.namedStrangers).map { identity in
      names[identity]?.printable ?? "\(identity.major)/\(identity.minor)"
    }
    let more = view.strangers.count > first.count ? ", …" : ""
    return first.isEmpty ? "0" : "\(view.strangers.count): \(first.joined(separator: ", "))\(more)"
  }
}
