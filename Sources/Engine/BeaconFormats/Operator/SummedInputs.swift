// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The scan inputs of a source that receives sums of seconds from other programs: levels, and the receivers' states.
///
/// The source itself is the first receiver, and is gone: while no other one listens, nothing is concluded.
package struct SummedInputs: Sendable {
  private struct Receiver {
    var name: String
    var state: RadioState?
    /// When it came into this state: another state is never earlier.
    var since = Timestamp.earliest
  }

  private var receivers: [Receiver]
  private var held = HeldInputs()

  /// - Parameter name: The name of the source as a receiver.
  package init(of name: String) {
    receivers = [Receiver(name: name)]
  }

  /// Starts the timeline.
  package mutating func start(at time: Timestamp) { set(0, .gone, at: time) }

  /// The names of the receivers so far, by their number.
  package var receiverNames: [String] { receivers.map(\.name) }
  /// How many inputs wait.
  package var count: Int { held.waiting.inputs.count }

  /// Returns a receiver's number; a new one gets a number if fewer than a limit have one.
  package mutating func number(of name: String, atMost limit: Int) -> UInt8? {
    if let index = receivers.firstIndex(where: { $0.name == name }) {
      return UInt8(clamping: index)
    }
    guard receivers.count < limit else { return nil }
    receivers.append(Receiver(name: name))
    return UInt8(clamping: receivers.count - 1)
  }

  /// The state of a receiver; `nil` before it is known.
  package func state(of receiver: Int) -> RadioState? { receivers[receiver].state }

  /// When a receiver came into its state.
  package func since(of receiver: Int) -> Timestamp { receivers[receiver].since }

  /// Adds the state of a receiver, unless it is in that state.
  package mutating func set(_ receiver: Int, _ state: RadioState, at time: Timestamp) {
    guard receivers[receiver].state != state else { return }
    let since = max(time, receivers[receiver].since)
    (receivers[receiver].state, receivers[receiver].since) = (state, since)
    held.waiting.inputs.append(.radio(receiver: UInt8(clamping: receiver), state, since))
  }

  /// Adds a level of a beacon.
  package mutating func add(
    _ identity: BeaconIdentity,
    power: Int8,
    rssi: Int8?,
    at receiver: UInt8,
    _ time: Timestamp
  ) {
    held.waiting.append(
      levelOf: identity,
      measuredPower: power,
      rssi: rssi,
      receiver: receiver,
      at: time
    )
  }

  /// Returns the inputs up to a time, in the order of time; each is stamped at least `given`.
  package mutating func drain(until end: Timestamp, after given: Timestamp) -> ScanBatch {
    var batch = held.release(until: end)
    batch.inputs = batch.inputs.map { $0.time < given ? $0.at(given) : $0 }
    batch.upTo = end
    return batch
  }
}
