// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
public import Beacons
internal import DBus

/// Live scanning through BlueZ: what its adapters hear, as batches on a timeline.
///
/// D-Bus is read, decoded and batched on a thread of its own. The source goes on through adapters switched off,
/// unplugged and plugged in again, and through restarts of the Bluetooth service and of the bus; what the adapters
/// were able to hear is told as `RadioState` of the receivers.
public final class BlueZSource: ScanSource {
  /// How often batches are handed over to who wants each report soon: less than the bus's thread lets messages gather,
  /// so that under load each reading is one batch.
  public static let soon = TimeSpan.milliseconds(4)

  /// The longest that signals are left to gather on the bus where nobody waits for them, and so the most that a report's
  /// time can be late: the delay of 0 to 10 ms that every advertiser adds to its interval makes no less.
  private static let longestGathering = TimeSpan.milliseconds(10)

  private let thread: BusThread
  private let outbox: Outbox
  private let timeline: Timeline

  private init(thread: BusThread, outbox: Outbox, timeline: Timeline) {
    self.thread = thread
    self.outbox = outbox
    self.timeline = timeline
  }

  deinit {
    // Whoever forgets to stop leaves discovery to the bus, which ends it with the connection.
    thread.post { $0.end() }
  }

  /// Starts to scan, and returns when an adapter listens, or when all there is to do is wait for a person: where every
  /// adapter that is meant is switched off or blocked by a switch.
  ///
  /// - Parameters:
  ///   - selection: The adapters to listen with.
  ///   - path: How their reports come. A bus given by its address may be another machine's, so only an explicit
  ///     ``ReportPath/kernel`` opens this kernel's channel beside it.
  ///   - deafness: When an adapter's silence means that it is deaf, and what is done about it.
  ///   - timing: What the engine takes for a gap, which it knows by itself: a program that stood still for less tells that
  ///     nobody heard.
  ///   - uuids: The UUIDs of the beacons that somebody waits for; their silence alone is no sign of deafness. `nil`
  ///     where nobody knows, which holds for the beacons of any one UUID.
  ///   - bus: The address of the bus, in D-Bus's form; `nil` is the system bus.
  ///   - interval: How long reports may wait for others before they are handed over together, 0 to 10 s; they keep the
  ///     times they were heard at, and a deadline comes first. Each batch wakes the task that pulls, which at low rates
  ///     costs more than all else.
  /// - Returns: The source.
  /// - Throws: ``BlueZUnavailable`` with the reason why no adapter will listen.
  public static func start(
    _ selection: AdapterSelection = .all,
    via path: ReportPath = .automatic,
    deafness: DeafnessConfiguration = DeafnessConfiguration(),
    timing: TimingConfiguration = TimingConfiguration(),
    uuids: Set<UInt128>? = nil,
    bus: String? = nil,
    handingOverEvery interval: TimeSpan = BlueZSource.soon
  ) async throws(BlueZUnavailable) -> BlueZSource {
    try await start(
      selection,
      via: path,
      deafness: deafness,
      timing: timing,
      uuids: uuids,
      bus: bus,
      handingOverEvery: interval,
      wallClock: .system
    )
  }

  /// Opens the kernel's monitor channel, or something in its place.
  package typealias ChannelOpener = @Sendable () throws(BlueZUnavailable) -> MonitorSocket

  /// Starts to scan by a wall clock of the caller's, as a test does, and through a channel of the caller's, as where the
  /// kernel has no Bluetooth and a program plays it; the bus's thread is prepared on that thread, before it does anything.
  package static func start(
    _ selection: AdapterSelection = .all,
    via path: ReportPath = .automatic,
    deafness: DeafnessConfiguration = DeafnessConfiguration(),
    timing: TimingConfiguration = TimingConfiguration(),
    uuids: Set<UInt128>? = nil,
    bus: String?,
    handingOverEvery interval: TimeSpan = BlueZSource.soon,
    wallClock: WallClock,
    opening open: ChannelOpener = MonitorSocket.open,
    preparingThread prepare: @escaping @Sendable () -> Void = {}
  ) async throws(BlueZUnavailable) -> BlueZSource {
    let channel = try openChannel(path, hasOwnBus: bus == nil, open)
    let timeline = Timeline()
    let outbox = Outbox(start: timeline.now, interval: min(interval, Outbox.longestInterval))
    let startup = Startup()
    let gathering = min(interval.duration, longestGathering.duration)
    let thread: BusThread
    do throws(BusFailure) {
      thread = try BusThread(
        bus.map { BusAddress($0) } ?? .system,
        gathering: max(gathering, BusLoop.gatheringTime)
      ) {
        prepare()
        return BlueZHandler(
          selection,
          path,
          channel,
          deafness,
          timing,
          uuids,
          timeline,
          wallClock,
          outbox,
          startup
        )
      }
    } catch {
      throw .noBus("\(error)")
    }
    switch await startup.outcome() {
    case .success:
      return BlueZSource(thread: thread, outbox: outbox, timeline: timeline)
    case .failure(let reason):
      await thread.stop()
      throw reason
    }
  }

  /// Opens the kernel's monitor channel, where it is asked for or may be had.
  private static func openChannel(
    _ path: ReportPath,
    hasOwnBus: Bool,
    _ open: ChannelOpener
  ) throws(BlueZUnavailable) -> MonitorSocket? {
    switch path {
    case .dbus: nil
    case .kernel: try open()
    case .automatic: hasOwnBus ? try? open() : nil
    }
  }

  /// Where the timeline stands.
  public var now: Timestamp { timeline.now }

  /// The names of the receivers, by their number in reports: those the adapters had when they were first seen.
  public var receiverNames: [String] { outbox.receiverNames }

  /// What was counted so far.
  public var statistics: BlueZStatistics { outbox.statistics }

  /// Returns what the operator should know, and forgets it.
  public func drainDiagnostics() -> [BlueZDiagnostic] {
    outbox.drainDiagnostics()
  }

  /// Returns what was heard next, or an empty batch when the deadline has passed or 10 s have.
  ///
  /// Only one task may pull. A task that is cancelled here ends the source's batches.
  ///
  /// - Parameter deadline: When the caller must hear of time passing.
  /// - Returns: The batch, or `nil` after ``stop()``.
  public func next(until deadline: Timestamp?) async -> ScanBatch? {
    await outbox.next(until: deadline) { [thread] in thread.wake() }
  }

  /// Stops discovery, takes the monitors back and ends the source, within 2 s whatever BlueZ does.
  public func stop() async {
    thread.post { BlueZHandler.stop($0) }
    await thread.ended()
  }
}
