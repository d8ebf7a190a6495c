// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Cuts a span of time out of a capture.
///
/// A cut begins as a piece of a recording does: with the receivers' states, the time zone and the clients'
/// grants as they were before the span. Each input goes by its own time stamp.
package struct RecordingCut: Sendable {
  /// One thing that a capture contains.
  package enum Element: Sendable {
    case input(ScanInput)
    case line(UserActionLine)
  }

  private let since: Timestamp
  private let until: Timestamp
  /// The last statements before the span: radio states, the time zone, each client's grants.
  private var radios: [(receiver: UInt8, state: RadioState)] = []
  private var zone: UserActionLine?
  private var states: [UserActionLine] = []
  /// The header of the part of the recording that was read last; `nil` for the first one.
  private var header: CaptureHeader?
  /// Whether the part that was read last has ended, so that there was no recorder until the next one.
  private var hasEnded = false
  private var hasBegun = false
  /// Whether anything lay before the span, so that the source was listening at its start.
  private var hasEarlier = false
  /// Whether anything lies behind the span, so that the source was listening at its end.
  package private(set) var hasLater = false
  /// How many inputs and lines are in the span.
  package private(set) var kept = 0
  /// The times of the first and the last element of the capture.
  package private(set) var bounds: ClosedRange<Timestamp>?
  /// How many actions of users lie before the span; a replay does not know all that they changed.
  package private(set) var actionsBefore = 0

  /// The most statements kept; no recording has as many clients and receivers.
  private static let most = 1024

  /// Creates a cut.
  ///
  /// - Parameters:
  ///   - since: The first time that is kept; `nil` for the start.
  ///   - until: The first time that is not kept any more; `nil` for the end.
  ///   - header: The header of the capture.
  package init(since: Timestamp?, until: Timestamp?, header: CaptureHeader? = nil) {
    self.since = since ?? .earliest
    self.until = until ?? .latest
    self.header = header
  }

  /// Returns what of an input is in the span, and in front of the first the lines that the span begins with.
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

  /// Returns what of a line is in the span, and in front of the first the lines that the span begins with.
  package mutating func add(_ line: UserActionLine) -> [Element] {
    switch place(of: line.time) {
    case .within: return begin() + [.line(line)]
    case .later: return []
    case .earlier:
      switch line.input {
      case "zone": zone = line
      case "end": leave()
      case "capture": enter(line.header)
      case ClientStateLine.input, ClientStateLine.startInput:
        states.removeAll { $0.client == line.client }
        if states.count < Self.most { states.append(line.asState) }
      default:
        actionsBefore += 1
        if let action = RecordedUserAction(line) { note(action) }
      }
      return []
    }
  }

  /// A part of the recording ends: from here on nothing is recorded.
  private mutating func leave() {
    hasEnded = true
    for index in radios.indices { radios[index].state = .gone }
    states = []
  }

  /// A part of the recording begins.
  private mutating func enter(_ header: CaptureHeader?) {
    if !CaptureHeader.isSeamless(from: self.header, hasEnded: hasEnded, to: header) { leave() }
    (self.header, hasEnded) = (header, false)
  }

  /// Changes the kept grants as an action changed them.
  ///
  /// An answer may not have been offered, so none gives more than before.
  private mutating func note(_ action: RecordedUserAction) {
    for index in states.indices where action.client.map({ $0 == states[index].client }) ?? true {
      states[index].note(action.input)
    }
  }

  private enum Place { case earlier, within, later }

  private mutating func place(of time: Timestamp) -> Place {
    bounds = min(bounds?.lowerBound ?? time, time)...max(bounds?.upperBound ?? time, time)
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
    let lines = ([zone].compactMap(\.self) + states).map { Element.line($0.moved(to: since)) }
    // All have one time: if one that is off came before one that listens, a replay would find no receiver listening.
    let ordered = radios.sorted { $0.receiver < $1.receiver }
    let listening = ordered.filter { $0.state == .listening }
    let others = ordered.filter { $0.state != .listening }
    let states = (listening + others).map {
      Element.input(.radio(receiver: $0.receiver, $0.state, since))
    }
    return lines + (states.isEmpty && !hasEnded ? [.input(.mark(since))] : states)
  }
}

extension UserActionLine {
  /// The line with another time.
  fileprivate func moved(to time: Timestamp) -> UserActionLine {
    var line = self
    line.time = time
    line.set("t", .string(RFC3339.string(time)))
    var writer = JSONLineWriter()
    writer.value(line.value)
    line.bytes = writer.bytes
    return line
  }

  /// A line that starts a run as the `state` at the start of a span.
  fileprivate var asState: UserActionLine {
    var line = self
    line.input = ClientStateLine.input
    line.set("input", .string(ClientStateLine.input))
    return line
  }

  /// Changes the grants of a `state` line as a user's action changes them.
  fileprivate mutating func note(_ action: UserAction) {
    guard let state = ClientStateLine(self) else { return }
    var grant = state.grants.grant
    switch action {
    case .answer(.dontAllow, _) where grant == .notDetermined: grant = .denied
    case .settings(let authorization, let precise):
      switch authorization {
      case .never: grant = .denied
      case .askNextTime: grant = .notDetermined
      case .whileUsing: grant = .whenInUse
      case .always: grant = .always
      case nil: break
      }
      if let precise { set("accuracy", .string(precise ? "full" : "reduced")) }
    case .services(let isOn): set("services", .bool(isOn))
    case .restriction(let isOn): set("restricted", .bool(isOn))
    case .foreground, .tapNotification: if !state.isForeground { set("foreground", .bool(true)) }
    case .background: set("foreground", .bool(false))
    case .answer, .screenOn, .quiet, .zone, .start, .press: break
    }
    set("authorization", .string(grant.rawValue))
  }

  /// Changes the value of a key, or adds the key.
  private mutating func set(_ key: String, _ content: JSON5Value.Content) {
    guard case .object(var members) = value.content else { return }
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index].value.content = content
    } else {
      let value = JSON5Value(content, at: value.position)
      members.append(JSON5Member(key: key, keyPosition: value.position, value: value))
    }
    value.content = .object(members)
  }
}
