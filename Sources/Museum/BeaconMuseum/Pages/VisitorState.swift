// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The content of the visitor's page at one time, in one language; it contains no identity or signal strength.
public struct VisitorState: Sendable, Equatable {
  /// The guide's confidence.
  public struct Confidence: Sendable, Equatable {
    /// The grade that the bar shows.
    public let grade: ConfidenceGrade
    /// The word next to the bar.
    public let word: String
  }

  /// The guide's current status.
  public let status: GuideStatus
  /// The room; `nil` if it is not known or may not be shown.
  public let place: String?
  /// The exhibit's title, or a message.
  public let title: String
  /// The exhibit's text, or an instruction.
  public let text: String?
  /// Whether ``title`` is an exhibit's.
  public let isExhibit: Bool
  /// The guide's confidence; `nil` without an exhibit.
  public let confidence: Confidence?
  /// The exhibit's index in the plan; `nil` without one.
  public let index: Int?
  /// The room's index in the plan; `nil` if it is not known or may not be shown.
  public let room: Int?
  /// A further note; `nil` for none.
  public let note: String?
  /// How often the device went to another visitor: with another number the page starts again.
  package let visit: Int

  /// Creates the content for a visitor from a guide's snapshot.
  public init(_ snapshot: GuideSnapshot, of plan: Plan, in language: String) {
    let phrases = VisitorPhrases.of(language)
    let view = snapshot.permitted
    status = view.status
    visit = snapshot.visit
    let notes = [phrases.note(of: snapshot.origin), snapshot.isOver ? phrases.over : nil]
    let noted = notes.compactMap { $0 }.joined(separator: " ")
    note = noted.isEmpty ? nil : noted
    place = view.room?.name[language]
    room = view.room.flatMap { plan.rooms.firstIndex(of: $0) }
    index = view.exhibit.flatMap { plan.exhibits.firstIndex(of: $0) }
    if let exhibit = view.exhibit {
      let grade = ConfidenceGrade(view.confidence)
      title = exhibit.title[language]
      text = exhibit.text?[language]
      isExhibit = true
      confidence = Confidence(grade: grade, word: phrases.word(grade))
      return
    }
    let message = Self.message(view, phrases)
    title = message.title
    text = message.text
    isExhibit = false
    confidence = nil
  }

  private static func message(
    _ view: GuideView,
    _ phrases: VisitorPhrases
  ) -> VisitorPhrases.Message {
    if let message = phrases.message(view.status) { return message }
    return if let room = view.room, room.major == nil { phrases.emptyRoom } else {
      phrases.nothingNear
    }
  }

  /// The state as one JSON object on one line.
  public var json: String {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("status", status.rawValue)
    writer.string("place", place)
    writer.string("title", title)
    writer.string("text", text)
    writer.bool("exhibit", isExhibit)
    writer.integer("level", confidence?.grade.rawValue)
    writer.string("sure", confidence?.word)
    writer.integer("index", index)
    writer.integer("room", room)
    writer.string("note", note)
    writer.integer("visit", visit)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
