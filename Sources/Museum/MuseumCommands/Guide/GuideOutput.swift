// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum

/// Writes the deliveries to the guide and the guide's own events: as sentences, as JSON Lines, or not at all.
///
/// Ticks are omitted: the guide's events show their effect.
final class GuideOutput {
  private enum Form {
    case narrated
    case lines(EventLineWriter)
    case nothing
  }

  private var form: Form
  private let language: String
  private let museum: String
  private var clock: RowClock
  private let style: TextStyle
  private let sink: any ByteSink
  private let isLive: Bool
  private var pending: [UInt8] = []

  /// The size of a pipe, so that a reader is woken once for each full pipe.
  private static let block = 65_536

  /// - Parameters:
  ///   - format: `table` writes sentences.
  ///   - language: The visitor's language.
  ///   - museum: The museum's name in that language.
  ///   - names: The names to show instead of numbers.
  ///   - style: The style of sentences.
  ///   - sink: Receives the text.
  ///   - isLive: Whether each event is written immediately.
  init(
    _ format: OutputFormat,
    language: String,
    museum: String,
    names: EventNames,
    style: TextStyle,
    to sink: any ByteSink,
    isLive: Bool
  ) {
    form =
      switch format {
      case .table: .narrated
      case .none: .nothing
      default: .lines(EventLineWriter(names))
      }
    self.language = language
    self.museum = museum
    clock = RowClock(names)
    self.style = style
    self.sink = sink
    self.isLive = isLive
  }

  /// Writes a delivery of the engine; `isOpen` is whether the visitor has the guide open.
  func write(_ delivery: Delivery, isOpen: Bool) throws {
    if case .ranged = delivery.event { return }
    switch form {
    case .nothing: return
    case .narrated:
      guard let text = sentence(of: delivery.event, isOpen: isOpen) else { return }
      narrate(text.printable, at: delivery.time)
    case .lines(var writer):
      writer.append(delivery)
      drain(&writer)
    }
    try flushIfDue()
  }

  /// Returns the sentence for an event; `nil` for one that the guide's own events show.
  private func sentence(of event: Event, isOpen: Bool) -> String? {
    switch event {
    case .regionEntered, .regionExited, .regionState, .completion(_, nil),
      .diagnostic(.authorization(.accuracyLimited)):
      nil
    // An open guide shows the arrival itself.
    case .notification: isOpen ? nil : ScreenPhrases.of(language).welcome.filled(museum)
    // In English an event has the sentence that it has in all commands.
    case _ where ScreenPhrases.of(language).language != "en":
      GuideSentence.text(of: event, in: language)
    default: EventSentence.text(of: event)
    }
  }

  /// Writes an event of the guide.
  func write(_ event: GuideEvent, to recipient: Recipient, at time: Timestamp) throws {
    switch form {
    case .nothing: return
    case .narrated:
      let text = GuideSentence.text(of: event, in: language)
      guard !text.isEmpty else { return }
      narrate(style.bold(text.printable), at: time)
    case .lines(var writer):
      writer.append(.guide(event, in: language), to: recipient, at: time)
      drain(&writer)
    }
    try flushIfDue()
  }

  private func drain(_ writer: inout EventLineWriter) {
    pending += writer.bytes
    writer.removeAll()
    form = .lines(writer)
  }

  private func narrate(_ text: String, at time: Timestamp) {
    if let heading = clock.heading(at: time) { pending += Array((heading + "\n").utf8) }
    pending += Array((clock.prefix(at: time) + text + "\n").utf8)
  }

  private func flushIfDue() throws {
    if isLive || pending.count >= Self.block { try flush() }
  }

  /// Writes the buffered text.
  func flush() throws {
    guard !pending.isEmpty else { return }
    let bytes = pending
    pending.removeAll(keepingCapacity: true)
    try sink.write(bytes)
  }
}
