// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An adapter that is listened with.
struct Receiver {
  /// Its number in reports.
  let number: UInt8
  /// Its address, by which it is known again.
  let address: String
  /// The name it had when it was first seen.
  let name: String
  /// The number the kernel counts it by, while it is there.
  var adapter: UInt16?
  /// What looks for a duplicate filter, where nothing switches that off.
  var filterWatch: DuplicateFilterWatch?
  /// Whether its reports come through the kernel's monitor channel, and none over D-Bus.
  var isReceivedByKernel = false
  /// What decides about it.
  var machine: AdapterMachine

  /// Whether it hears, and its reports come over D-Bus.
  var isReceivedOverBus: Bool { machine.isReceiving && !isReceivedByKernel }

  /// The monitor exported for it.
  var monitor: MonitorObject { MonitorObject(receiver: number) }
}
