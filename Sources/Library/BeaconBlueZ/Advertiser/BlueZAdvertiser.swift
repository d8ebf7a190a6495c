// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus
internal import SystemKit

/// Sends an iBeacon with an adapter of BlueZ, until it is stopped.
///
/// BlueZ sends it, as a broadcast without connections (`org.bluez.LEAdvertisingManager1`), and ends it with this
/// program's connection to the bus. Kernels of June 2026 refuse what BlueZ before 5.87 asks for; with `CAP_NET_ADMIN`
/// the kernel is then asked directly, and stops at most 30 s after a program that was killed. The advertiser continues when the adapter is switched off and on, unplugged and
/// plugged in, and when the Bluetooth service or the bus restarts: it registers the advertisement again.
public final class BlueZAdvertiser: Sendable {
  /// The obtained values at the start.
  public let obtained: ObtainedAdvertisement
  private let thread: BusThread

  private init(thread: BusThread, obtained: ObtainedAdvertisement) {
    self.thread = thread
    self.obtained = obtained
  }

  deinit {
    // Without `stop()` the connection ends, and BlueZ removes the advertisement with it.
    thread.post { $0.end() }
  }

  /// Starts to send.
  ///
  /// - Parameters:
  ///   - advertisement: What to send.
  ///   - bus: The address of the bus; `nil` is the system bus.
  /// - Returns: The advertiser, when BlueZ has accepted the advertisement.
  /// - Throws: ``BlueZUnavailable`` with the reason why no adapter can send.
  public static func start(
    _ advertisement: BlueZAdvertisement,
    bus: String? = nil
  ) async throws(BlueZUnavailable) -> BlueZAdvertiser {
    // It only gives the interval, so nothing depends on the permission.
    let channel = bus == nil ? try? MonitorSocket.open(.advertising) : nil
    let start = AdvertisingHandler.Start()
    let thread: BusThread
    do throws(BusFailure) {
      thread = try BusThread(bus.map { BusAddress($0) } ?? .system) {
        AdvertisingHandler(
          advertisement,
          channel: channel,
          control: bus == nil ? ManagementSocket() : nil,
          start: start
        )
      }
    } catch {
      throw BlueZUnavailable(error)
    }
    switch await start.value() {
    case .success(let obtained): return BlueZAdvertiser(thread: thread, obtained: obtained)
    case .failure(let reason):
      await thread.stop()
      throw reason
    }
  }

  /// Waits for the next thing that happens to the advertisement.
  ///
  /// Only one task may wait.
  ///
  /// - Parameter span: How long to wait.
  /// - Returns: What happened; `nil` after the time, or when the advertiser has ended.
  public func nextEvent(within span: Duration) async -> BlueZAdvertiserEvent? {
    await withCheckedContinuation { waiter in
      let isPosted = thread.post { loop in
        guard let handler = loop.handler as? AdvertisingHandler else {
          return waiter.resume(returning: nil)
        }
        handler.wait(until: .now + span, waiter)
      }
      if !isPosted { waiter.resume(returning: nil) }
    }
  }

  /// Stops sending; BlueZ has removed the advertisement when this returns, or does not answer.
  public func stop() async {
    thread.post { loop in (loop.handler as? AdvertisingHandler)?.stop(loop) }
    await thread.ended()
  }
}
