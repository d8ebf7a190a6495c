// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// One input of a scenario at its time, and its repetitions.
struct ScenarioStep: Sendable {
  /// The inputs, user actions and requests of a step.
  enum Action: Sendable {
    /// A received packet: its payload, its signal strength, the sender's address and the receiver.
    case report(payload: [UInt8], rssi: Int8?, address: DeviceAddress?, receiver: UInt8)
    /// A change of a receiver's state.
    case radio(RadioState, receiver: UInt8)
    /// A user action; without a client it concerns all clients.
    case user(UserAction, client: Int?)
    /// A request of a program.
    case request(ClientRequest, client: Int)
    /// A program starts again.
    case relaunch(client: Int)
    /// A program ends.
    case terminate(client: Int)

    /// Whether it is an input of the radio; a user action or a request is not, and ends no gap.
    var isScanInput: Bool {
      switch self {
      case .report, .radio: true
      case .user, .request, .relaunch, .terminate: false
      }
    }
  }

  var time: TimeSpan
  let action: Action
  /// The input as a timeline shows it.
  let summary: String
  /// How often it comes, and the time between.
  var count = 1
  var interval = TimeSpan.zero

  /// When it comes for the last time.
  var last: TimeSpan { time(of: count - 1) }

  func time(of repetition: Int) -> TimeSpan {
    time + TimeSpan(microseconds: Int64(repetition) * interval.microseconds)
  }
}

/// The steps of a scenario one after the other: by time, and those of the same time in the order of the file.
///
/// A repetition is made when its turn comes, so that a million of them take no memory.
struct ScenarioSteps: Sequence, IteratorProtocol {
  /// The next step of an entry.
  private struct Next: Comparable {
    var time: TimeSpan
    let entry: Int
    var repetition = 0

    static func < (first: Next, second: Next) -> Bool {
      (first.time, first.entry) < (second.time, second.entry)
    }
  }

  private let entries: [ScenarioStep]
  /// A heap: each is at most as late as the two below it.
  private var pending: [Next]

  init(_ entries: [ScenarioStep]) {
    self.entries = entries
    // An ordered array is a heap.
    pending = entries.indices.map { Next(time: entries[$0].time, entry: $0) }.sorted()
  }

  /// The time of the next step.
  var nextTime: TimeSpan? { pending.first?.time }

  mutating func next() -> ScenarioStep? {
    guard var first = pending.first else { return nil }
    var step = entries[first.entry]
    (step.time, step.count) = (first.time, 1)
    first.repetition += 1
    if first.repetition < entries[first.entry].count {
      first.time = entries[first.entry].time(of: first.repetition)
      pending[0] = first
    } else {
      let last = pending.removeLast()
      if !pending.isEmpty { pending[0] = last }
    }
    sink()
    return step
  }

  private mutating func sink() {
    var place = 0
    while true {
      let below = (2 * place + 1..<2 * place + 3).filter { $0 < pending.count }
      guard let least = below.min(by: { pending[$0] < pending[$1] }),
        pending[least] < pending[place]
      else { return }
      pending.swapAt(place, least)
      place = least
    }
  }
}
