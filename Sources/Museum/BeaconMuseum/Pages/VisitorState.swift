// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
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
  /// Whether the visitor has the guide open.
  package let isOpen: Bool
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
  /// The guide's question, with the museum's reason; `nil` for none.
  package let question: String?
  /// The museum's reason for it.
  package let reason: String?
  /// Whether the question has a switch for precise location.
  package let offersPrecise: Bool
  /// The choices of the visitor.
  package let choices: [VisitorChoice]
  /// The place on the plan; `nil` if it is not known or may not be shown.
  let drawn: DrawnPlace?
  private let token: String?
  /// A further note; `nil` for none.
  public let note: String?
  /// How often the device went to another visitor: with another number the page starts again.
  package let visit: Int

  /// Creates the content for a visitor from a guide's snapshot.
  public init(_ snapshot: GuideSnapshot, of plan: Plan, in language: String) {
    self.init(snapshot, of: plan, in: language, token: nil)
  }

  /// Creates the content with the token of the page's forms.
  package init(_ snapshot: GuideSnapshot, of plan: Plan, in language: String, token: String?) {
    let phrases = VisitorPhrases.of(language)
    var view = snapshot.permitted
    isOpen = snapshot.isOpen
    // A guide in the background knows nothing new.
    if !isOpen { view = view.hidden }
    status = view.status
    visit = snapshot.visit
    let notes = [phrases.note(of: snapshot.origin), snapshot.isOver ? phrases.over : nil]
    let noted = notes.compactMap { $0 }.joined(separator: " ")
    note = noted.isEmpty ? nil : noted
    place = view.room?.name[language]
    room = view.room.flatMap { plan.rooms.firstIndex(of: $0) }
    index = view.exhibit.flatMap { plan.exhibits.firstIndex(of: $0) }
    question = snapshot.prompt.map { ScreenPhrases.of(language).question($0.kind) }
    reason = snapshot.prompt.map { plan.manifest.reason(of: $0, in: language) }
    offersPrecise = snapshot.prompt?.offersPrecise == true && snapshot.isAsked
    choices = VisitorChoice.offered(snapshot, of: plan, in: language)
    drawn = DrawnPlace(view, plan)
    self.token = choices.isEmpty ? nil : token
    if let exhibit = view.exhibit {
      let grade = ConfidenceGrade(view.confidence)
      title = exhibit.title[language]
      text = exhibit.text?[language]
      isExhibit = true
      confidence = Confidence(grade: grade, word: phrases.word(grade))
      return
    }
    let message =
      switch view.status {
      case .denied where snapshot.isRestricted: phrases.restricted
      case .looking where snapshot.hasNoRadio, .outside where snapshot.hasNoRadio: phrases.noRadio
      default: Self.message(view, phrases)
      }
    title = isOpen ? message.title : ScreenPhrases.of(language).closed
    text = isOpen ? message.text : nil
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
    writer.string("status", isOpen ? status.rawValue : "closed")
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
    DrawnPlace.write(drawn, to: &writer)
    writer.string("question", question)
    writer.string("reason", reason)
    writer.bool("switch", offersPrecise)
    writer.key("choices")
    writer.beginArray()
    for choice in choices {
      writer.beginArray()
      writer.string(choice.name)
      writer.string(choice.label)
      writer.endArray()
    }
    writer.endArray()
    writer.string("token", token)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// The visitor's place in the units of a floor's drawing.
struct DrawnPlace: Sendable, Equatable {
  /// The level of the floor.
  let level: Int
  /// The middle of the disc.
  let middle: Plan.Point
  /// The radius of the disc, which is as large as the place is uncertain.
  let radius: Double

  /// The smallest radius: that of the ring around the place.
  private static let smallest = 20.0

  init?(_ view: GuideView, _ plan: Plan) {
    guard let position = view.position,
      let drawing = FloorDrawing.all(plan).first(where: { $0.level == view.room?.level })
    else { return nil }
    (level, middle) = (drawing.level, drawing.place(position))
    radius = max(Self.smallest, (view.spread ?? 0) * drawing.scale)
  }

  /// Writes a place as members of an object, which are null without one.
  static func write(_ place: DrawnPlace?, to writer: inout JSONLineWriter) {
    writer.integer("floor", place?.level)
    writer.hundredths("x", place?.middle.x)
    writer.hundredths("y", place?.middle.y)
    writer.hundredths("r", place?.radius)
  }
}
