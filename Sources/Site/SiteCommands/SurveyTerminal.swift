// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconSites
internal import Beacons
internal import SystemKit

/// `site survey --live`: its user names places on standard input.
struct SurveyTerminal {
  /// The user's choices.
  private static let hint =
    "go to a place, then write its name; 'undo' forgets the last one; an empty line ends and writes the model"
  /// How long to wait for a line at a time.
  private static let patience = TimeSpan.milliseconds(100)

  private let io: CommandIO
  private(set) var survey: LiveSurvey
  private var input: LineInput
  private var hasEnded = false

  init(_ survey: LiveSurvey, io: CommandIO, reading input: LineInput = LineInput()) {
    (self.survey, self.io, self.input) = (survey, io, input)
  }

  /// Runs until the user ends it; returns the learned model, or `nil` without one, or if the user interrupted it.
  mutating func run(
    _ source: any ScanSource,
    _ showRemarks: () -> Void
  ) async throws -> SiteModel? {
    // A source that cannot begin throws.
    _ = try await source.now
    io.show(Self.hint)
    while !hasEnded, let batch = try await source.next(until: nil) {
      showRemarks()
      if io.isInterrupted() { return nil }
      if let outcome = survey.add(batch, receivers: await source.receiverNames) { show(outcome) }
      if survey.current == nil { readLine() }
    }
    return survey.model
  }

  private func show(_ outcome: LiveSurvey.Outcome) {
    io.show("\(outcome)")
    if case .learned(let place, _) = outcome {
      survey.likenesses(of: place).forEach(io.show)
      io.show(Self.hint)
    }
  }

  private mutating func readLine() {
    guard survey.now != nil, let line = input.next() else {
      hasEnded = input.hasEnded
      return
    }
    switch line.split(whereSeparator: \.isWhitespace).joined(separator: " ") {
    case "": hasEnded = true
    case "undo": io.show(survey.undo().map { "forgot '\($0)'" } ?? "nothing is learned yet")
    case let name:
      do throws(LiveSurvey.Refusal) {
        try survey.start(name)
        io.show("stay in '\(name)' for \(Int(survey.length.seconds)) s, and walk about in it")
      } catch {
        io.show("\(error)")
      }
    }
  }

  /// Asks a question that is answered by yes or no; returns `nil` without an answer.
  mutating func confirm(_ question: String) -> Bool? {
    io.show(question)
    while !io.isInterrupted() {
      guard let line = input.next() else {
        if input.hasEnded { return nil }
        io.clock.sleep(for: Self.patience)
        continue
      }
      switch line.lowercased() {
      case "yes", "y": return true
      case "no", "n": return false
      default: io.show("write yes or no")
      }
    }
    return nil
  }
}
