// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
@_exported public import Beacons
package import DBus

/// A source of live scanning through BlueZ: it yields the adapters' reports, in batches on a timeline.
///
/// A separate thread reads D-Bus, decodes the messages and fills the batches. The source continues while adapters are
/// switched off, unplugged or plugged in again, and while the Bluetooth service or the bus restarts. The `RadioState`
/// of each receiver reports whether its adapter can receive.
public final class BlueZSource: ScanSource {
  /// The longest time for which D-Bus signals collect without a waiting reader.
  ///
  /// So a report's time can be late by at most this time, which does not matter: every advertiser adds a random delay
  /// of 0 to 10 ms to its interval.
  private static let longestGathering = TimeSpan.milliseconds(10)

  /// The bus's thread.
  package let thread: BusThread
  private let outbox: ReportQueue
  private let timeline: SourceTimeline

  private init(thread: BusThread, outbox: ReportQueue, timeline: SourceTimeline) {
    self.thread = thread
    self.outbox = outbox
    self.timeline = timeline
  }

  deinit {
    // Without `stop()` the connection ends, and BlueZ ends discovery with it.
    thread.post { $0.end() }
  }

  /// Starts to scan.
  ///
  /// It returns when an adapter scans, or when every selected adapter is switched off or blocked, so that only the user
  /// can help. What BlueZ refuses is tried again for 15 s, unless another try cannot help.
  ///
  /// - Parameter options: The adapters to scan with, and how to scan.
  /// - Returns: The source.
  /// - Throws: ``BlueZUnavailable`` with the reason why no adapter can scan.
  public static func start(
    _ options: BlueZScanOptions = BlueZScanOptions()
  ) async throws(BlueZUnavailable) -> BlueZSource {
    let channel = try openChannel(options)
    let timeline = SourceTimeline(wallClock: options.wallClock, uptime: options.uptime)
    let outbox = ReportQueue(
      start: timeline.now,
      interval: min(options.interval, ReportQueue.longestInterval)
    )
    let start = BlueZHandler.Start()
    let gathering = min(options.interval.duration, longestGathering.duration)
    let thread: BusThread
    do throws(BusFailure) {
      thread = try BusThread(
        options.bus.map { BusAddress($0) } ?? .system,
        gathering: max(gathering, MessageGathering.usualTime),
        // Any program may send them; a connection that does not take them ends.
        takesDescriptors: true
      ) {
        options.prepareThread()
        return BlueZHandler(
          options: options,
          channel: channel,
          timeline: timeline,
          outbox: outbox,
          start: start
        )
      }
    } catch {
      throw BlueZUnavailable(error)
    }
    switch await start.value() {
    case .success:
      return BlueZSource(thread: thread, outbox: outbox, timeline: timeline)
    case .failure(let reason):
      await thread.stop()
      throw reason
    }
  }

  /// Opens the kernel's monitor channel, if the options require or allow it.
  private static func openChannel(
    _ options: BlueZScanOptions
  ) throws(BlueZUnavailable) -> MonitorSocket? {
    switch options.path {
    case .dbus: nil
    case .kernel: try options.openChannel()
    case .automatic: options.bus == nil ? try? options.openChannel() : nil
    }
  }

  /// The current time on the timeline.
  public var now: Timestamp { timeline.now }

  /// How far local time is ahead of UTC here.
  public var utcOffset: TimeSpan? { WallClock.utcOffset(at: WallClock.system.now()) }

  /// The names of the receivers, by their number in reports.
  ///
  /// A name is the one that the adapter had when it was first seen.
  public var receiverNames: [String] { outbox.receiverNames }

  /// The counts so far.
  public var statistics: BlueZStatistics { outbox.statistics }

  /// The drops so far, by reason.
  public var drops: Tally<DropReason> { statistics.drops }

  /// Returns the warnings for the operator since the last call.
  public func drainDiagnostics() -> [BlueZDiagnostic] {
    outbox.drainDiagnostics()
  }

  /// Returns the next inputs, or an empty batch after the deadline or after 10 s.
  ///
  /// Only one task may pull. Cancelling a task here ends the source's batches.
  ///
  /// - Parameter deadline: The time at which the caller needs a batch, even an empty one.
  /// - Returns: The batch, or `nil` after ``stop()``.
  public func next(until deadline: Timestamp?) async -> ScanBatch? {
    await outbox.next(until: deadline) { [thread] in thread.wake() }
  }

  /// Stops discovery, removes the monitors and ends the source, within 2 s whatever BlueZ does.
  public func stop() async {
    thread.post { BlueZHandler.stop($0) }
    await thread.ended()
  }
}

/// Starts a source for a module that is linked with this one without importing it, such as `CoreLocation`.
///
/// - Parameter adapter: An adapter's name or address; `nil` for every adapter.
/// - Returns: The source.
/// - Throws: ``BlueZUnavailable`` with the reason why no adapter will scan.
@_silgen_name("beacons_start_bluez")
package nonisolated(nonsending) func startBlueZ(adapter: String?) async throws -> any ScanSource {
  try await BlueZSource.start(
    BlueZScanOptions(adapters: adapter.map { .named($0) } ?? .all)
  )
}
