// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Sums the admitted inputs of a run to the operator's view: a second's reports for each listed beacon and receiver, the
/// states of receivers, and how far the time has come.
///
/// It is a function of the admitted inputs alone, so that a replay gives what the run gave, however batches were cut.
package struct ReceivedSeconds: Sendable {
  /// The most distinct unlisted identities that are counted in a second; a room of a thousand phones has fewer.
  package static let unlistedLimit = 4096

  /// The most addresses that are known at a time; those that beacons no longer use go with all of them.
  private static let ownerLimit = 4096

  private let isListed: @Sendable (BeaconIdentity) -> Bool
  private var second = Timestamp.earliest
  private var sums = ReceivedSums<String>()
  private var unlisted: Set<BeaconIdentity> = []
  /// The listed beacons by the addresses that they sent their identities from; telemetry comes without an identity.
  private var owners: [DeviceAddress: BeaconIdentity] = [:]
  private var states: [String: RadioState] = [:]
  private var reached: Timestamp?

  /// - Parameter isListed: Whether somebody listed a beacon, so that it may appear by itself.
  package init(isListed: @escaping @Sendable (BeaconIdentity) -> Bool) {
    self.isListed = isListed
  }

  /// Sums admitted inputs.
  ///
  /// - Parameters:
  ///   - slice: The inputs.
  ///   - receivers: The receivers' names, by number.
  /// - Returns: What is complete, in the order of time; the current second waits for its end.
  package mutating func process(_ slice: ScanSlice, receivers: [String]) -> [OperatorInput] {
    var out: [OperatorInput] = []
    for (index, time) in zip(slice.range, slice.admitted) {
      switch slice.batch.inputs[index] {
      case .report(let report), .level(let report):
        count(report, at: time, in: slice.batch, receivers, &out)
      case .radio(let receiver, let state, _):
        note(Self.name(receiver, receivers), state, at: time, &out)
      case .place(let report):
        advance(to: time, &out)
        guard let place = slice.batch.place(of: report),
          place.identity.map({ isListed($0) }) ?? true
        else { continue }
        out.append(.place(place, time))
      case .mark, .notice: advance(to: time, &out)
      }
    }
    if let time = slice.upTo { advance(to: time, &out) }
    if let time = reached, time > .earliest { out.append(.reached(time)) }
    return out
  }

  /// Ends the sums: the current second is complete.
  package mutating func end(at time: Timestamp) -> [OperatorInput] {
    var out: [OperatorInput] = []
    advance(to: time, &out)
    finishSecond(&out)
    out.append(.reached(max(time, reached ?? time)))
    return out
  }

  /// The name of a receiver by its number; one without a name has its number.
  private static func name(_ receiver: UInt8, _ names: [String]) -> String {
    guard Int(receiver) < names.count, !names[Int(receiver)].isEmpty else { return "#\(receiver)" }
    return names[Int(receiver)]
  }

  private mutating func advance(to time: Timestamp, _ out: inout [OperatorInput]) {
    let earlier = reached
    reached = max(time, reached ?? time)
    guard time >= second + .seconds(1) else { return }
    finishSecond(&out)
    second = time.wholeSecond
    // The two ends of a pause, wherever the batches were cut.
    if let earlier { out.append(.reached(earlier)) }
    out.append(.reached(time))
  }

  private mutating func note(
    _ receiver: String,
    _ state: RadioState,
    at time: Timestamp,
    _ out: inout [OperatorInput]
  ) {
    advance(to: time, &out)
    guard state.isChange(from: states[receiver]) else { return }
    states[receiver] = state
    out.append(.receiver(receiver, state, time))
  }

  private mutating func count(
    _ report: AdvertisingReport,
    at time: Timestamp,
    in batch: ScanBatch,
    _ receivers: [String],
    _ out: inout [OperatorInput]
  ) {
    advance(to: time, &out)
    let name = Self.name(report.receiver, receivers)
    // A receiver that reports without ever having stated a state listens.
    if states[name] == nil { note(name, .listening, at: time, &out) }
    guard case .beacon(let identity, let power) = batch.reading(of: report) else {
      if let address = report.address, let identity = owners[address],
        let telemetry = Telemetry.read(advertisingData: batch.bytes.span, in: report.payloadRange)
      {
        out.append(.telemetry(telemetry, of: identity, time))
      }
      return
    }
    own(report.address, identity)
    guard isListed(identity) else {
      if unlisted.count < Self.unlistedLimit { unlisted.insert(identity) }
      return
    }
    _ = sums.add(identity, name, rssi: report.rssi, power: power, at: time)
  }

  private mutating func own(_ address: DeviceAddress?, _ identity: BeaconIdentity) {
    guard let address, owners[address] != identity else { return }
    // An address that sends another beacon's identity is no longer that of this one.
    guard isListed(identity) else {
      owners[address] = nil
      return
    }
    if owners.count >= Self.ownerLimit { owners.removeAll() }
    owners[address] = identity
  }

  private mutating func finishSecond(_ out: inout [OperatorInput]) {
    out += sums.drain().map { key, sum in
      .reports(
        ReceivedSecond(second: second, identity: key.identity, receiver: key.receiver, sum)
      )
    }
    if !unlisted.isEmpty { out.append(.unlisted(unlisted.count, second: second)) }
    unlisted.removeAll(keepingCapacity: true)
  }
}
