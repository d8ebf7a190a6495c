// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// How the receivers of a run do: what each heard, when last, and in what state it is.
public struct RadioHealth: Sendable, Equatable {
  /// One receiver.
  public struct Receiver: Sendable, Equatable {
    /// Its state, as the source last said.
    public var state = RadioState.listening
    /// How many advertisements it heard.
    public var reports = 0
    /// When it last heard one; `nil` before the first.
    public var last: Timestamp?
  }

  /// The receivers' names by their numbers.
  public var names: [String] = []
  /// The receivers by their numbers.
  public private(set) var receivers: [Receiver] = []
  /// How far the source's time has come; `nil` before the first input.
  public private(set) var now: Timestamp?

  /// Creates the health of no receiver.
  public init() {}

  /// Takes in what was heard.
  public mutating func take(_ batch: ScanBatch) {
    // In silence too the time of a live source goes on.
    if let upTo = batch.upTo { now = max(now ?? upTo, upTo) }
    for input in batch.inputs {
      now = max(now ?? input.time, input.time)
      switch input {
      case .report(let report):
        change(report.receiver) {
          $0.reports += 1
          $0.last = report.time
        }
      case .radio(let receiver, let state, _): change(receiver) { $0.state = state }
      case .mark: break
      }
    }
  }

  private mutating func change(_ number: UInt8, _ change: (inout Receiver) -> Void) {
    // A receiver's number has 8 bits, so this table has at the most 256 entries.
    while receivers.count <= Int(number) { receivers.append(Receiver()) }
    change(&receivers[Int(number)])
  }

  /// A receiver's name, else its number.
  func name(_ receiver: Int) -> String { names[safe: receiver] ?? "receiver \(receiver)" }
}
