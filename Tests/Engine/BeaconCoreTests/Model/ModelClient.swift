// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// One client of the ``RowModel``: what `docs/behaviour.md` says that it has at one time.
struct ModelClient {
  /// The grants, by the letters of the tables; W0 and W1 differ by `isSpent`.
  enum Grant {
    case undecided, once, whileUsing, clip, provisional, always, denied
  }

  /// The prompts: the first one (A1, A2, E1), that of three options (E4), the second one for a program that has
  /// when-in-use (E8, A10), the second one of a provisional grant (A18), and the one for temporary full accuracy (Ad).
  enum Question: Equatable {
    case first(wantsAlways: Bool), three, upgrade, confirmation, temporaryFull
  }

  /// Why a client is in use (rows S1 to S8).
  enum Use: Equatable {
    case background, foreground, grace(until: Int), session
  }

  struct Held {
    let region: Int
    let state: RegionState
    let time: Int
    let lines: [ModelLine]
  }

  let manifest: Manifest
  var grant = Grant.undecided
  var isSpent = false
  var isPrecise = true
  var isTemporarilyFull = false
  var servicesOn = true
  var isRestricted = false
  var clipEnd = 0
  var held: Held?
  var isConfirmationDue = false
  /// Whether the held event is delivered with this step.
  var releases = false
  var question: Question?

  var use = Use.background
  var hasSession = false
  /// Its explicit service sessions (row N15).
  var ownSessions: Set<UInt64> = []
  var awakeUntil = 0
  var solidUntil: Int?
  var shownIndicator = UsageIndicator.Style.none

  var regions: [ModelRegion] = []
  var notified: [ModelRegion] = []
  /// The notifications that are shown.
  var shown: Set<Int> = []
  var rangings: [ModelRanging] = []

  var isInUse: Bool { use != .background }
}

/// A region of a client, and what is known about it.
struct ModelRegion {
  let name: Int
  let region: Region
  /// For a notification: whether it is shown each time.
  var repeats = true
  var state = RegionState.unknown
  var origin = RegionStateOrigin.observed
  /// The state that the client knows.
  var told: RegionState?
  /// The state before reception was lost.
  var known: RegionState?
  /// When silence ends the state, and since when that clock runs; `nil` outside and while nothing can be known.
  var deadline: Int?
  var clockStart = 0
  /// How long a determination lasted that a loss of reception interrupted (row G27).
  var interrupted = 0
  /// When each receiver last received one of its beacons, and why none that did so lately listens (row G26).
  var received: [Int?] = [nil, nil]
  var loss: RegionStateReason?

  /// Forgets the receivers of its beacons.
  mutating func forgetReceivers() { (received, loss) = ([nil, nil], nil) }

  /// A new process knows those that received one lately, as if they had now.
  mutating func keepReceivers(within time: Int, at now: Int) {
    guard state == .inside || state == .unknown && known == .inside,
      let last = received.compactMap(\.self).max()
    else { return forgetReceivers() }
    received = received.map { $0.map { last - $0 <= time } == true ? now : nil }
    loss = nil
  }
}

/// A constraint that a client ranges.
struct ModelRanging {
  let number: Int
  /// Ticks come at whole seconds after this time, and list what was received since.
  var start: Int
  var failure: Int?
  /// When each of the timelines' beacons was last received.
  var last: [Int?] = [nil, nil, nil, nil]
  /// The beacons received since the last tick, a bit each.
  var fresh = 0

  init(number: Int, start: Int) {
    self.number = number
    self.start = start
  }

  mutating func restart(at time: Int) {
    self = ModelRanging(number: number, start: time, failure: failure)
  }

  private init(number: Int, start: Int, failure: Int?) {
    (self.number, self.start, self.failure) = (number, start, failure)
  }
}

/// Something that a client is events, as numbers: quick to compare, and written out only where two differ.
struct ModelLine: Hashable {
  enum Kind: Int {
    case state, enter, exit, authorization, prompt, withdrawn, monitoring, temporaryFull,
      regionFailure
    case rangingFailure, indicator, notification, gap, tick
  }

  let kind: Kind
  var subject = 0
  var value = 0
  var reason = 0

  /// The line at a time for a client as one number, ordered by time and client.
  func code(at time: Int, for client: Int) -> Int {
    ((((time << 4 | client) << 4 | kind.rawValue) << 4 | subject) << 5 | value) << 5 | reason
  }

  static func decode(_ code: Int) -> (time: Int, client: Int, line: ModelLine)? {
    guard let kind = Kind(rawValue: code >> 14 & 15) else { return nil }
    let line = ModelLine(
      kind: kind,
      subject: code >> 10 & 15,
      value: code >> 5 & 31,
      reason: code & 31
    )
    return (code >> 22, code >> 18 & 15, line)
  }

  static func state(
    _ name: Int,
    _ state: RegionState,
    _ reason: RegionStateReason
  ) -> ModelLine {
    ModelLine(
      kind: .state,
      subject: name,
      value: Int(state.rawValue),
      reason: number(of: reason)
    )
  }

  static func crossing(_ kind: Kind, _ name: Int, _ reason: RegionStateReason) -> ModelLine {
    ModelLine(kind: kind, subject: name, reason: number(of: reason))
  }

  private static let reasons = RegionStateReason.allCases

  private static func number(of reason: RegionStateReason) -> Int {
    reasons.firstIndex(of: reason) ?? 0
  }

  /// The line's event as scenario files write it.
  var text: String {
    let region = "region: \"\(Timeline.regionName(subject))\""
    let reasonText = "reason: \"\(Self.reasons[reason % Self.reasons.count].rawValue)\""
    switch kind {
    case .state:
      let state = RegionState(rawValue: UInt8(value)) ?? .unknown
      return "event: \"region.state\", \(region), state: \"\(state)\", \(reasonText)"
    case .enter: return "event: \"region.enter\", \(region), \(reasonText)"
    case .exit: return "event: \"region.exit\", \(region), \(reasonText)"
    case .authorization:
      let status = AuthorizationStatus(rawValue: value).map { "\($0)" } ?? "?"
      let accuracy = reason == 0 ? "full" : "reduced"
      return "event: \"authorization\", status: \"\(status)\", accuracy: \"\(accuracy)\""
    case .prompt:
      return "event: \"prompt\", kind: \"\(Prompt.Kind.allCases[value % 4].rawValue)\""
    case .withdrawn: return "event: \"prompt\", kind: null"
    case .monitoring: return "event: \"completion\", request: \"monitor\", \(region)"
    case .temporaryFull:
      return
        "event: \"completion\", request: \"temporaryFull\", error: \(value == 0 ? "null" : "\(value)")"
    case .regionFailure: return "event: \"failure\", code: \(value), \(region)"
    case .rangingFailure:
      return "event: \"failure\", code: \(value), constraint: \"\(Timeline.constraints[subject])\""
    case .indicator:
      return "event: \"indicator\", style: \"\(UsageIndicator.Style.allCases[value % 4].rawValue)\""
    case .notification: return "event: \"notification\", \(region)"
    case .gap: return "event: \"diagnostic\", code: \"timeGap\""
    case .tick:
      let beacons = [(reason, "-60"), (value & ~reason, "null")].flatMap { mask, rssi in
        Timeline.beacons.enumerated().filter { mask & 1 << $0.offset != 0 }
          .map { "{ major: \($0.element.major), minor: \($0.element.minor), rssi: \(rssi) }" }
      }
      return "event: \"ranged\", constraint: \"\(Timeline.constraints[subject])\", "
        + "beacons: [\(beacons.joined(separator: ", "))]"
    }
  }
}
