// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The health of a run's receivers: for each, how much it received, when last, and its state.
public struct RadioHealth: Sendable, Equatable {
  /// One receiver.
  public struct Receiver: Sendable, Equatable {
    /// Its state, as last given by the source.
    public var state = RadioState.listening
    /// The number of advertising reports it received.
    public var reports = 0
    /// The time of its last report; `nil` before the first.
    public var last: Timestamp?
    /// Its state as far as no report shows it; `nil` if the source stated none.
    package var stated: RadioState?
  }

  /// The receivers' names, by receiver number.
  public var names: [String] = []
  /// The receivers, by receiver number.
  public private(set) var receivers: [Receiver] = []
  /// The time that the source has reached; `nil` before the first input.
  public private(set) var now: Timestamp?
  private var stated = StatedStates()

  /// Whether no receiver works, of those that are known.
  package var hasNone: Bool {
    !receivers.isEmpty && !receivers.contains { $0.state == .listening }
  }

  /// Creates the health of no receivers.
  public init() {}

  /// Processes a batch.
  public mutating func process(_ batch: ScanBatch) {
    // The time of a live source also advances while nothing is received.
    if let upTo = batch.upTo { now = max(now ?? upTo, upTo) }
    defer { if let now { note(stated.decide(before: now)) } }
    for input in batch.inputs {
      now = max(now ?? input.time, input.time)
      switch input {
      case .report(let report), .level(let report):
        if stated.isUndecided { note(stated.received(by: report.receiver, at: report.time)) }
        change(report.receiver) {
          $0.reports += 1
          $0.last = report.time
        }
      case .radio(let receiver, let state, let time):
        note(stated.changed(receiver, to: state, at: time))
        change(receiver) { $0.state = state }
      case .mark, .notice, .place: break
      }
    }
  }

  private mutating func note(_ items: [StatedStates.Item]) {
    for item in items { change(item.receiver) { $0.stated = item.state } }
  }

  private mutating func change(_ number: UInt8, _ change: (inout Receiver) -> Void) {
    // A receiver's number has 8 bits, so this table has at most 256 entries.
    while receivers.count <= Int(number) { receivers.append(Receiver()) }
    change(&receivers[Int(number)])
  }

  /// Returns a receiver's name, or its number without one.
  func name(_ receiver: Int) -> String { names[safe: receiver] ?? "receiver \(receiver)" }
}
