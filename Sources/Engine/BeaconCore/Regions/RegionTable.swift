// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a region could not be monitored.
package enum RegionFailure: Error, Sendable, Equatable {
  /// The client already monitors the maximum number of regions.
  case limitExceeded(limit: Int)

  /// Core Location's number for the failure (`CLError.regionMonitoringFailure`).
  package var code: Int { 5 }
}

extension RegionFailure: CustomStringConvertible {
  /// The fault, and its remedy.
  package var description: String {
    switch self {
    case .limitExceeded(let limit):
      "already monitoring \(limit) regions, the most there may be; stop one first"
    }
  }
}

/// The regions of one client, by name and by slot.
///
/// A slot is an index that stays the same as long as its region is monitored, so that an index of constraints can refer
/// to it. A new region of the same name gets the slot of the old one.
package struct RegionTable: Sendable {
  /// How a region came into the table.
  package enum Addition: Sendable, Equatable {
    /// Into a separate slot.
    case added(slot: Int)
    /// Into the slot of one of the same name, which is no longer monitored.
    case replaced(slot: Int, Region)

    /// The slot.
    package var slot: Int {
      switch self {
      case .added(let slot), .replaced(let slot, _): slot
      }
    }
  }

  private var machines: [RegionMachine?] = []
  private var free: [Int] = []
  /// The slots in order of their regions' identifiers.
  private var order: [Int] = []
  /// The profile's rules for regions.
  package private(set) var policy: RegionPolicy

  /// Creates an empty table.
  package init(policy: RegionPolicy) {
    self.policy = policy
  }

  /// Continues with other rules.
  package mutating func reconfigure(_ policy: RegionPolicy) {
    self.policy = policy
    for slot in machines.indices { machines[slot]?.reconfigure(policy) }
  }

  /// How many regions are monitored.
  package var count: Int { order.count }

  /// The slots in use, in order of the regions' identifiers.
  package var slots: [Int] { order }

  /// The regions, in order of their identifiers.
  package var regions: [Region] { order.compactMap { machines[$0]?.region } }

  /// Adds a region, in place of the one of the same identifier if there is one.
  ///
  /// Its state machine must still be started.
  ///
  /// - Throws: ``RegionFailure/limitExceeded(limit:)``, with nothing changed, when the table is full.
  package mutating func add(_ region: Region) throws(RegionFailure) -> Addition {
    let machine = RegionMachine(region, policy: policy)
    let place = place(of: region.identifier)
    if place.found, let old = machines[order[place.index]]?.region {
      machines[order[place.index]] = machine
      return .replaced(slot: order[place.index], old)
    }
    guard count < policy.limit else { throw .limitExceeded(limit: policy.limit) }
    let slot = free.popLast() ?? machines.count
    if slot == machines.count { machines.append(machine) } else { machines[slot] = machine }
    order.insert(slot, at: place.index)
    return .added(slot: slot)
  }

  /// Removes a region.
  ///
  /// - Returns: The slot it had, which another region may get; `nil` when there is no such region.
  package mutating func remove(_ identifier: RegionIdentifier) -> Int? {
    let place = place(of: identifier)
    guard place.found else { return nil }
    let slot = order.remove(at: place.index)
    machines[slot] = nil
    free.append(slot)
    return slot
  }

  /// The slot of a region; `nil` when it is not monitored.
  package func slot(of identifier: RegionIdentifier) -> Int? {
    let place = place(of: identifier)
    return place.found ? order[place.index] : nil
  }

  /// The machine in a slot; `nil` when the slot is free or was never used.
  package func machine(in slot: Int) -> RegionMachine? {
    machines.indices.contains(slot) ? machines[slot] : nil
  }

  /// Calls a closure with the state machine in a slot, to be changed in place; does nothing when the slot is free.
  @inline(__always)
  package mutating func withMachine<Answer>(
    in slot: Int,
    _ body: (inout RegionMachine) -> Answer
  ) -> Answer? {
    guard machines.indices.contains(slot) else { return nil }
    return machines[slot]?.apply(body)
  }

  private func place(of identifier: RegionIdentifier) -> (index: Int, found: Bool) {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      guard let there = machines[order[middle]]?.region.identifier else { break }
      if there == identifier { return (middle, true) }
      if there < identifier { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }
}

extension RegionMachine {
  @inline(__always)
  fileprivate mutating func apply<Answer>(_ body: (inout RegionMachine) -> Answer) -> Answer {
    body(&self)
  }
}
