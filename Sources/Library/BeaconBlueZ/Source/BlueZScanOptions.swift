// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
public import Beacons
public import BeaconCore
internal import DBus

/// The adapters that a live source scans with, and how it scans.
public struct BlueZScanOptions: Sendable {
  /// The shortest time between two batches.
  ///
  /// It is shorter than the time for which the bus's thread lets messages collect, so that under load each read gives
  /// one batch.
  public static let shortestInterval = TimeSpan.milliseconds(4)

  /// The adapters to scan with.
  public var adapters: AdapterSelection
  /// The way of their reports.
  ///
  /// A bus with an explicit address may belong to another machine. With such a bus only ``ReportPath/kernel`` opens
  /// this kernel's channel.
  public var path: ReportPath
  /// When a silent adapter counts as deaf, and which remedies are tried.
  public var deafness: DeafnessConfiguration
  /// The engine's definition of a gap.
  ///
  /// In a gap the engine keeps the states of regions itself. After a stall that is shorter than a gap, the source
  /// reports that its receivers were deaf in that time.
  public var timing: TimingConfiguration
  /// The UUIDs of the beacons that clients wait for.
  ///
  /// Silence of only these beacons is not a sign of deafness.
  ///
  /// `nil` if that is not known; then the same rule applies to the beacons of any single UUID.
  public var uuids: Set<UInt128>?
  /// The address of the bus, in D-Bus's form; `nil` is the system bus.
  public var bus: String?
  /// How long reports may wait to be delivered together with others, 0 to 10 s.
  ///
  /// Reports keep the times at which they were received, and a deadline ends the wait earlier. Each batch wakes the
  /// task that pulls, which at low rates costs more than everything else.
  public var interval: TimeSpan

  /// Opens the kernel's monitor channel, or a substitute.
  package typealias ChannelOpener = @Sendable () throws(BlueZUnavailable) -> MonitorSocket

  /// The wall clock whose steps are reported: the machine's, or a test's.
  package var wallClock = WallClock.system
  /// The clock of the source's waits and deadlines, but for answers of the bus: the machine's, or a test's.
  package var uptime: @Sendable () -> Uptime = { .now }
  /// Opens the kernel's monitor channel; a test that simulates the kernel opens its own channel.
  package var openChannel: ChannelOpener = MonitorSocket.open
  /// Called once at the start of the bus's thread, to prepare it.
  package var prepareThread: @Sendable () -> Void = {}

  /// Creates options; by default the source scans with every adapter on the system bus.
  public init(
    adapters: AdapterSelection = .all,
    path: ReportPath = .automatic,
    deafness: DeafnessConfiguration = DeafnessConfiguration(),
    timing: TimingConfiguration = TimingConfiguration(),
    uuids: Set<UInt128>? = nil,
    bus: String? = nil,
    interval: TimeSpan = BlueZScanOptions.shortestInterval
  ) {
    self.adapters = adapters
    self.path = path
    self.deafness = deafness
    self.timing = timing
    self.uuids = uuids
    self.bus = bus
    self.interval = interval
  }
}
