// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit
internal import Glibc

/// A recording that the user of a view starts and ends with a key.
struct RequestedRecording {
  /// What happened to the recording, for the user.
  struct Change {
    let text: String
    /// Whether the text is still of use after the run.
    let isLasting: Bool
  }

  private let options: RunOptions
  private let files: OutputFiles
  private var recorder: Recorder?
  private var recordedUpTo = Timestamp.earliest
  /// Whether the user wants a recording.
  var isWanted = false
  /// The file that is being recorded to; `nil` for none.
  private(set) var name: String?

  init(_ options: RunOptions, opening files: OutputFiles) {
    self.options = options
    self.files = files
  }

  /// Records the admitted inputs, if the user wants it; starts or ends the recording if the user requested it.
  mutating func record(_ slice: ScanSlice, receivers: [String]) -> Change? {
    do {
      let change = try isWanted ? begin(slice, receivers) : finish()
      try recorder?.record(slice, receivers: receivers)
      recordedUpTo = max(recordedUpTo, slice.admitted.last ?? .earliest)
      return change
    } catch {
      return fail(error)
    }
  }

  /// Ends the recording with the run.
  mutating func end() -> Change? {
    do {
      return try finish()
    } catch {
      return fail(error)
    }
  }

  private mutating func begin(_ slice: ScanSlice, _ receivers: [String]) throws -> Change? {
    guard recorder == nil, let start = slice.admitted.first else { return nil }
    var options = options
    let name = RecordingName.unused(at: start)
    options.recording = OutputPath(name)
    options.rotation = nil
    recorder = try EngineSetup(options, .ranging).recorder(
      receivers: receivers,
      startingAt: start,
      opening: files
    )
    recordedUpTo = start
    self.name = name
    return Change(text: "recording to \(name); r ends it", isLasting: false)
  }

  private mutating func finish() throws -> Change? {
    guard let name else { return nil }
    try recorder?.end(at: recordedUpTo)
    recorder = nil
    self.name = nil
    return Change(text: "recorded \(name); --from plays it", isLasting: true)
  }

  private mutating func fail(_ error: any Error) -> Change {
    (isWanted, recorder, name) = (false, nil, nil)
    return Change(text: "the recording ends: \(error)", isLasting: true)
  }
}

/// The name of a recording that a key started.
enum RecordingName {
  /// Returns a name in the working folder that no file has yet, by the time on the timeline.
  static func unused(at time: Timestamp) -> String {
    let stamp = base(at: time)
    // A hundred presses of the key in a second are not expected; they share the last name.
    let names = ["\(stamp).jsonl"] + (2...100).map { "\(stamp)-\($0).jsonl" }
    return names.first { unsafe access($0, F_OK) != 0 } ?? "\(stamp)-100.jsonl"
  }

  /// The time as in `beacons-20260304T101500Z`.
  static func base(at time: Timestamp) -> String {
    let digits = RFC3339.string(time).prefix(19).filter { $0 != "-" && $0 != ":" }
    return "beacons-\(digits)Z"
  }
}
