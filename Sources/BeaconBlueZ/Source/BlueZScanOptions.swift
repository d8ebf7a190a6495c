// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
public import BeaconCore

/// What a live source scans with, and how.
public struct BlueZScanOptions: Sendable {
  /// The shortest time between two batches: shorter than the time for which the bus's thread lets messages gather, so
  /// that under load each reading is one batch.
  public static let shortestInterval = TimeSpan.milliseconds(4)

  /// The adapters to scan with.
  public var adapters: AdapterSelection
  /// The way their reports come.
  ///
  /// A bus given by its address may be another machine's, so there only an explicit ``ReportPath/kernel`` opens this
  /// kernel's channel.
  public var path: ReportPath
  /// When an adapter's silence means that it is deaf, and what is done about it.
  public var deafness: DeafnessConfiguration
  /// What the engine counts as a gap, in which it keeps the states of regions by itself: a program that stood still for
  /// a shorter time reports that its receivers were deaf meanwhile.
  public var timing: TimingConfiguration
  /// The UUIDs of the beacons that somebody waits for; their silence alone is no sign of deafness.
  ///
  /// `nil` where nobody knows; then the same holds for the beacons of any one UUID.
  public var uuids: Set<UInt128>?
  /// The address of the bus, in D-Bus's form; `nil` is the system bus.
  public var bus: String?
  /// How long reports may wait for others before they are delivered together, 0 to 10 s.
  ///
  /// They keep the times at which they were received, and a deadline comes first. Each batch wakes the task that pulls,
  /// which at low rates costs more than all else.
  public var interval: TimeSpan

  /// Opens the kernel's monitor channel, or something in its place.
  package typealias ChannelOpener = @Sendable () throws(BlueZUnavailable) -> MonitorSocket

  /// The wall clock whose steps are reported; a test's own, or the machine's.
  package var wallClock = WallClock.system
  /// Opens the kernel's monitor channel; a test that plays the kernel opens a channel of its own.
  package var openChannel: ChannelOpener = MonitorSocket.open
  /// Called first on the bus's thread, to prepare it.
  package var prepareThread: @Sendable () -> Void = {}

  /// Creates options; by default every adapter on the system bus is scanned with.
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
