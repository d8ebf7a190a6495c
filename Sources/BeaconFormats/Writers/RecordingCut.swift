// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Cuts a span of time out of a capture.
///
/// What is cut out begins as a piece of a recording does: with the receivers' states, the time zone and the clients'
/// grants that the recording stated last before the span. Each input goes by its own time stamp.
package struct RecordingCut: Sendable {
  /// One thing that a capture contains.
  package enum Element: Sendable {
    case input(ScanInput)
    case line(UserActionLine)
  }

  private let since: Timestamp
  private let until: Timestamp
  /// The last statements before the span: radio states, lines by kind and client.
  private var radios: [(receiver: UInt8, state: RadioState)] = []
  private var lines: [UserActionLine] = []
  private var hasBegun = false
  /// Whether anything lay before the span, so that the source was listening at its start.
  private var hasEarlier = false
  /// Whether anything lies behind the span, so that the source was listening at its end.
  package private(set) var hasLater = false
  /// How many inputs and lines are in the span.
  package private(set) var kept = 0
  /// How many actions of users lie before the span; a replay does not know what they changed.
  package private(set) var actionsBefore = 0

  /// The most statements kept; no recording has as many clients and receivers.
  private static let most = 1024

  /// Creates a cut.
  ///
  /// - Parameters:
  ///   - since: The first time that is kept; `nil` for the start.
  ///   - until: The first time that is not kept any more; `nil` for the end.
  package init(since: Timestamp?, until: Timestamp?) {
    self.since = since ?? .earliest
    self.until = until ?? .latest
  }

  /// Returns what of an input is in the span, and in front of the first what the span begins with.
  package mutating func add(_ input: ScanInput) -> [Element] {
    switch place(of: input.time) {
    case .within: return begin() + [.input(input)]
    case .later: return []
    case .earlier:
      guard case .radio(let receiver, let state, _) = input else { return [] }
      radios.removeAll { $0.receiver == receiver }
      if radios.count < Self.most { radios.append((receiver, state)) }
      return []
    }
  }

  /// Returns what of a line is in the span, and in front of the first what the span begins with.
  package mutating func add(_ line: UserActionLine) -> [Element] {
    switch place(of: line.time) {
    case .within: return begin() + [.line(line)]
    case .later: return []
    case .earlier:
      switch line.input {
      case "capture", "end": return []
      case "zone", ClientStateLine.input:
        lines.removeAll { $0.input == line.input && $0.client == line.client }
        if lines.count < Self.most { lines.append(line) }
      default: actionsBefore += 1
      }
      return []
    }
  }

  private enum Place { case earlier, within, later }

  private mutating func place(of time: Timestamp) -> Place {
    if time < since {
      hasEarlier = true
      return .earlier
    }
    if time >= until, until < .latest {
      hasLater = true
      return .later
    }
    kept += 1
    return .within
  }

  private mutating func begin() -> [Element] {
    guard !hasBegun else { return [] }
    hasBegun = true
    guard hasEarlier else { return [] }
    let lines = lines.map { Element.line($0.moved(to: since)) }
    // All have one time: if one that is off came before one that listens, a replay would find no receiver listening.
    let ordered = radios.sorted { $0.receiver < $1.receiver }
    let listening = ordered.filter { $0.state == .listening }
    let others = ordered.filter { $0.state != .listening }
    let states = (listening + others).map {
      Element.input(.radio(receiver: $0.receiver, $0.state, since))
    }
    return lines + (states.isEmpty ? [.input(.mark(since))] : states)
  }
}

extension UserActionLine {
  /// The line with another time.
  fileprivate func moved(to time: Timestamp) -> UserActionLine {
    var line = self
    line.time = time
    guard case .object(var members) = value.content else { return line }
    for index in members.indices where members[index].key == "t" {
      members[index].value.content = .string(RFC3339.string(time))
    }
    line.value.content = .object(members)
    var writer = JSONLineWriter()
    writer.value(line.value)
    line.bytes = writer.bytes
    return line
  }
}
