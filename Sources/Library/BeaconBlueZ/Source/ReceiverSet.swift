// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import Beacons
package import BeaconCore

/// An adapter that the source scans with.
package struct Receiver {
  /// Its number in reports.
  package let number: UInt8
  /// Its address, which identifies it when it is plugged in again.
  package let address: String
  /// The name that it had when it was first seen.
  package let name: String
  /// The kernel's number of it; `nil` while it is unplugged.
  package fileprivate(set) var adapter: UInt16?
  /// Whether its reports come through the kernel's monitor channel instead of over D-Bus.
  package fileprivate(set) var isReceivedByKernel = false
  /// The machine that decides its actions.
  package fileprivate(set) var machine: AdapterMachine
  /// Looks for a duplicate filter; `nil` if a monitor may have switched it off.
  fileprivate var filterWatch: DuplicateFilterWatch?
}

/// The adapters that the source scans with, each with its state machine.
package struct ReceiverSet {
  /// The most receivers.
  ///
  /// Their number in a report is one byte, and no machine has that many adapters.
  package static let maximumCount = 64

  private let selection: AdapterSelection
  private let deafness: DeafnessConfiguration
  private let uuids: Set<UInt128>?
  private var receivers: [Receiver] = []

  /// Creates an empty set.
  ///
  /// - Parameters:
  ///   - selection: The adapters to scan with.
  ///   - deafness: When a silent adapter counts as deaf, and which remedies are tried.
  ///   - uuids: The UUIDs that clients wait for; `nil` if that is not known.
  package init(
    _ selection: AdapterSelection,
    deafness: DeafnessConfiguration = DeafnessConfiguration(),
    uuids: Set<UInt128>? = nil
  ) {
    self.selection = selection
    self.deafness = deafness
    self.uuids = uuids
  }

  // MARK: Finding

  package var count: Int { receivers.count }
  package var isEmpty: Bool { receivers.isEmpty }
  package var indices: Range<Int> { receivers.indices }
  package subscript(index: Int) -> Receiver { receivers[index] }

  /// Whether BlueZ has any of the adapters.
  package var isAnyPresent: Bool { receivers.contains { $0.adapter != nil } }

  /// Returns the index of the receiver with a number in reports.
  package func index(ofReceiver number: UInt8) -> Int? {
    receivers.firstIndex { $0.number == number }
  }

  /// Returns the index of the receiver whose adapter has a kernel number.
  package func index(ofAdapter number: UInt16?) -> Int? {
    receivers.firstIndex { $0.adapter == number }
  }

  /// Returns an adapter's number in reports; `nil` unless it scans and its reports come through the kernel.
  package func kernelReceiver(ofAdapter number: UInt16) -> UInt8? {
    receivers.first {
      $0.adapter == number && $0.isReceivedByKernel && $0.machine.isListening
    }?
    .number
  }

  /// The receivers that are not deaf and whose reports come over D-Bus.
  package var receivingOverBus: [Int] {
    indices.filter { receivers[$0].machine.isReceiving && !receivers[$0].isReceivedByKernel }
  }

  /// The receivers that are not deaf and whose reports come through the kernel.
  package var receivingByKernel: [Int] {
    indices.filter { receivers[$0].machine.isReceiving && receivers[$0].isReceivedByKernel }
  }

  /// Whether reports of a receiver over D-Bus are accepted now.
  package func acceptsReportsOverBus(_ index: Int) -> Bool {
    receivers[index].machine.isListening && !receivers[index].isReceivedByKernel
  }

  /// Whether any receiver is not deaf and has reports that come over D-Bus.
  package var isReceivingOverBus: Bool {
    receivers.contains { $0.machine.isReceiving && !$0.isReceivedByKernel }
  }

  /// The earliest deadline of all machines.
  package var nextDeadline: Timestamp? { receivers.compactMap(\.machine.nextDeadline).min() }

  /// The outcome of the source's start as far as the adapters decide it; `nil` while it is open.
  ///
  /// An adapter that is off or blocked is waited for, since only the user can help. What fails otherwise is tried again,
  /// unless another try cannot help.
  package var startOutcome: Result<Void, BlueZUnavailable>? {
    let present = receivers.filter { $0.adapter != nil }
    guard !present.isEmpty else { return nil }
    let powered = present.map(\.machine).filter(\.isPowered)
    if powered.isEmpty
      || powered.contains(where: { $0.isListening || $0.failure?.kind == .blocked })
    {
      return .success(())
    }
    guard let failure, powered.allSatisfy({ $0.failure?.isFinal == true }) else { return nil }
    return .failure(failure)
  }

  /// Why no adapter scans so far; `nil` if no call failed.
  package var failure: BlueZUnavailable? {
    guard isEmpty || isAnyPresent else { return .noAdapter }
    return receivers.lazy.compactMap(\.machine.failure).first.map { BlueZUnavailable($0) }
  }

  /// Returns the reason why the set is empty although BlueZ has adapters; `nil` if it is not empty.
  package func failure(among adapters: [AdapterObject]) -> BlueZUnavailable? {
    guard receivers.isEmpty else { return nil }
    guard case .named(let name) = selection else { return .noAdapter }
    let known = adapters.flatMap { [$0.name, $0.address] }
    return .adapterNotFound(name, nearest: AdapterSelection.nearest(to: name, among: known))
  }

  // MARK: Changing

  /// Returns the receiver of an adapter, and creates it if the adapter is selected and new; `nil` if it is not
  /// selected.
  package mutating func attach(_ adapter: AdapterObject) -> (index: Int, isNew: Bool)? {
    if let known = receivers.firstIndex(where: { $0.address == adapter.address }) {
      receivers[known].adapter = adapter.number
      return (known, false)
    }
    guard adapter.isCentral, receivers.count < Self.maximumCount,
      selection.includes(name: adapter.name, address: adapter.address),
      selection == .all || receivers.isEmpty
    else { return nil }
    receivers.append(
      Receiver(
        number: UInt8(receivers.count),
        address: adapter.address,
        name: adapter.name,
        adapter: adapter.number,
        machine: AdapterMachine(deafness, uuids: uuids)
      )
    )
    return (receivers.count - 1, true)
  }

  /// Notes that BlueZ no longer has a receiver's adapter.
  package mutating func detach(_ index: Int) {
    receivers[index].adapter = nil
  }

  /// Sets the way of a receiver's reports.
  package mutating func setReceivedByKernel(_ isByKernel: Bool, _ index: Int) {
    receivers[index].isReceivedByKernel = isByKernel
  }

  /// Whether the adapters scan is not known, since packets of the kernel were lost.
  package mutating func forgetScans() {
    for index in receivers.indices { receivers[index].machine.forgetScan() }
  }

  /// Changes a receiver's machine.
  ///
  /// - Returns: The actions that the machine requests.
  package mutating func update(
    _ index: Int,
    _ change: (inout AdapterMachine) -> [AdapterAction]
  ) -> [AdapterAction] {
    change(&receivers[index].machine)
  }

  /// Notes that a stall ended at a time: until then these receivers could not receive, although their adapters may
  /// have.
  package mutating func stalled(_ indices: [Int], until time: Timestamp) {
    for index in indices { receivers[index].machine.stalled(until: time) }
  }

  // MARK: Duplicate filters

  /// Starts to look for a duplicate filter.
  package mutating func watchFilter(_ index: Int) {
    receivers[index].filterWatch = DuplicateFilterWatch()
  }

  /// Stops looking for a duplicate filter, since a monitor may switch it off.
  package mutating func stopWatchingFilter(_ index: Int) {
    receivers[index].filterWatch = nil
  }

  /// Notes a report, if the receiver is watched for a duplicate filter.
  ///
  /// - Returns: Whether this report shows that the adapter filters duplicates.
  package mutating func showsFilter(
    _ index: Int,
    reportOf device: UInt64,
    at time: Timestamp
  ) -> Bool {
    guard let verdict = receivers[index].filterWatch?.received(device, at: time) else {
      return false
    }
    receivers[index].filterWatch = nil
    return verdict == .limited
  }
}
