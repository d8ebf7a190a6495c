// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites
internal import Beacons
package import HistoryCommands
internal import Pages
internal import Synchronization
internal import WebServer

extension AdditionalPage {
  /// `web --survey`: places are learned by walking through them with the page.
  package static let survey = AdditionalPage(options: [SurveyPage.model]) {
    arguments,
    options,
    io in
    guard let output = arguments[SurveyPage.model] else { return nil }
    guard !output.isStandardOutput else {
      throw UsageError("--survey names the file of a model")
    }
    guard !options.constraints.isEmpty else {
      throw UsageError("--survey needs --beacon: the one that you carry")
    }
    let file = SurveyedModel(output: output, io: io)
    try file.check(asking: true)
    return SurveyPage(
      output,
      replacing: file.replaced,
      LiveSurvey(options.constraints, stay: .seconds(60))
    )
  }
}

/// The page on which a user names the place in which the beacon is.
final class SurveyPage: PageContent {
  static let model = CommandOption(
    "survey",
    .output("MODEL"),
    "Learn places on the page while you carry the beacon that --beacon names, and write them to this model"
  )

  /// The requests of a form.
  private enum Wish: String {
    case stay, undo, write, restore
  }

  private struct State {
    var survey: LiveSurvey
    /// The last thing that happened.
    var note: String?
    /// The change of the file that waits for the run's thread.
    var wish: Wish?
    /// The number of places of the model in the file; `nil` for no model.
    var replaced: Int?
    /// Whether a model was replaced.
    var hasFormer = false
  }

  let tab = LivePage.Tab("/survey", "Survey")
  private let output: OutputPath
  private let state: Mutex<State>
  private var path: String { output.path }

  /// - Parameters:
  ///   - output: The file of the model.
  ///   - places: How many places the model in it has; `nil` for no model.
  ///   - survey: The survey.
  init(_ output: OutputPath, replacing places: Int?, _ survey: LiveSurvey) {
    self.output = output
    state = Mutex(State(survey: survey, replaced: places))
  }

  // MARK: The run's thread

  func add(_ slice: ScanSlice, receivers names: [String]) {
    state.withLock { state in
      guard let outcome = state.survey.add(slice.piece, receivers: names) else { return }
      state.note = "\(outcome)"
    }
  }

  func perform(_ io: CommandIO) {
    let (wish, model) = state.withLock { state in
      defer { state.wish = nil }
      return (state.wish, state.survey.model)
    }
    guard let wish else { return }
    let file = SurveyedModel(output: output, io: io)
    let note: String
    do {
      note =
        try wish == .restore
        ? file.undo()
        : model.flatMap(file.write)
          ?? "the model is written; 'beaconctl site fuse --model \(path)' finds the place"
    } catch {
      let reason = (error as? CommandFailure)?.lines.joined(separator: "; ") ?? "\(error)"
      note = "nothing was written: \(reason)"
    }
    let (replaced, hasFormer) = (file.replaced, file.hasFormer)
    state.withLock { state in
      (state.note, state.replaced, state.hasFormer) = (note, replaced, hasFormer)
    }
  }

  // MARK: The server's thread

  func answer(_ form: JSON5Value) -> WebResponse {
    guard case .string(let text) = form["do"]?.content, let wish = Wish(rawValue: text) else {
      return .refused(.malformed, "The page sends another form.")
    }
    let place: String? = if case .string(let name) = form["place"]?.content { name } else { nil }
    let isConfirmed = form["confirmed"]?.content == .bool(true)
    return state.withLock { state in
      switch wish {
      case .stay:
        do throws(LiveSurvey.Refusal) {
          try state.survey.start(place ?? "")
          state.note = nil
        } catch {
          return .refused(.conflict, "\(error)".capitalizedSentence)
        }
      case .undo: state.note = state.survey.undo().map { "forgot '\($0)'" }
      case .write where state.survey.model == nil:
        return .refused(.conflict, "Nothing is learned yet.")
      case .write, .restore:
        guard isConfirmed || wish == .write && state.replaced == nil else {
          return .refused(.conflict, "Confirm it first: a model would be replaced.")
        }
        state.wish = wish
      }
      return .content(Array("{}".utf8), type: "application/json")
    }
  }

  func write(to page: inout LivePage, token: String) {
    let state = state.withLock { $0 }
    page.controls = Texts.surveyPage + "\n"
    page.attributes = [("data-token", token)]
    // The name of a file keeps its first letter.
    let note = state.note.map { $0.hasPrefix(path) ? $0.printable + "." : $0.capitalizedSentence }
    page.view.element("p", [("role", "status")], note ?? "")
    page.view.line()
    Self.write(state.survey, to: &page.view)
    for line in state.survey.likenesses() { page.view.element("p", [("class", "alike")], line) }
    page.view.open("p", [("class", "buttons")])
    if let last = state.survey.current ?? state.survey.stays.last {
      Self.button(.undo, "Take '\(last.place)' back", to: &page.view)
    }
    if let model = state.survey.model {
      let size = SiteFiles.places(model.places.count)
      let question = state.replaced.map {
        "Replace the model in \(path), which has \(SiteFiles.places($0)), by one of \(size)? It stays next to the new one."
      }
      Self.button(.write, "Write \(size) to \(path)", asking: question, to: &page.view)
    }
    if state.hasFormer {
      let question = "Exchange the model in \(path) and the former one?"
      Self.button(.restore, "Undo the replacement", asking: question, to: &page.view)
    }
    page.view.close("p")
  }

  private static func write(_ survey: LiveSurvey, to page: inout Markup) {
    if let current = survey.current {
      let length = Int(survey.length.seconds)
      page.open("p")
      page.element("strong", current.place.printable)
      page.write(": \(survey.passed) of \(length) s. Walk about in it.")
      page.close("p")
      page.open(
        "progress",
        [
          ("max", "\(length)"), ("value", "\(survey.passed)"),
          ("aria-label", "Seconds of the stay"),
        ]
      )
      page.close("progress")
    } else {
      page.element(
        "p",
        "Carry the beacon into a place, name it, and stay a minute. At the end, write the places."
      )
    }
    page.line()
    let levels = survey.levels.map { name, level in
      "\(name.printable) \(level.map { DecimalText.fixed($0, decimals: 0) + " dBm" } ?? "–")"
    }
    page.element(
      "p",
      [("class", "soft")],
      levels.isEmpty
        ? "No receiver receives the beacon." : "The beacon now: " + levels.joined(separator: ", ")
    )
    page.line()
    guard let places = survey.model?.places else { return }
    page.open("ul", [("class", "places"), ("aria-label", "Places")])
    for place in places { page.element("li", "\(place.name.printable) · \(place.seconds) s") }
    page.close("ul")
    page.line()
  }

  private static func button(
    _ wish: Wish,
    _ text: String,
    asking question: String? = nil,
    to page: inout Markup
  ) {
    var attributes: [(StaticString, String)] = [
      ("type", "button"), ("id", "survey-\(wish)"), ("data-do", wish.rawValue),
    ]
    if let question { attributes.append(("data-question", question.printable)) }
    page.element("button", attributes, text.printable)
    page.write(" ")
  }
}

extension String {
  /// A line of the command as a sentence of a page.
  fileprivate var capitalizedSentence: String {
    let text = printable
    return text.isEmpty ? text : text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
