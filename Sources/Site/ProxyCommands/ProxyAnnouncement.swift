// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus
internal import ESPHomeAPI
internal import SystemKit

/// Announces a proxy in the local network (mDNS) through Avahi, until it is stopped.
///
/// Without Avahi, or without the bus, a user writes the proxy's address into Home Assistant.
final class ProxyAnnouncement {
  private let thread: BusThread?

  init(_ info: DeviceInfo, port: UInt16) {
    thread = try? BusThread(.system) { Handler(info, port) }
  }

  /// Ends the announcement.
  func stop() {
    thread?.post { $0.end() }
  }

  private final class Handler: BusHandler {
    private static let avahi = "org.freedesktop.Avahi"
    private static let group = "org.freedesktop.Avahi.EntryGroup"
    private static let timeout = Duration.seconds(10)
    /// How long to wait before the bus is looked for again.
    private static let pause = Duration.seconds(30)
    /// Any interface, and any protocol.
    private static let any = DBusValue.int32(-1)

    private let info: DeviceInfo
    private let port: UInt16

    init(_ info: DeviceInfo, _ port: UInt16) { (self.info, self.port) = (info, port) }

    func connected(_ loop: BusLoop) { loop.follow(Self.avahi) }

    /// Avahi forgets its announcements when it ends, so it is asked again when it is there again.
    func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
      guard owner != nil else { return }
      let call = MethodCall(Self.avahi, "/", "\(Self.avahi).Server", "EntryGroupNew")
      loop.call(call, timeout: Self.timeout) { [self] result in
        guard case .success(let values) = result, let path = values.first?.text else { return }
        add(to: path, loop)
      }
    }

    private func add(to path: String, _ loop: BusLoop) {
      let service = MethodCall(
        Self.avahi,
        path,
        Self.group,
        "AddService",
        [
          Self.any, Self.any, .uint32(0), .string(info.name), .string("_esphomelib._tcp"),
          .string(""), .string(""), .uint16(port),
          .array(of: "ay", texts.map { .bytes(Array($0.utf8)) }),
        ]
      )
      loop.call(service, timeout: Self.timeout) { result in
        guard case .success = result else { return }
        loop.call(MethodCall(Self.avahi, path, Self.group, "Commit"), timeout: Self.timeout) { _ in
        }
      }
    }

    /// What Home Assistant reads before it connects.
    private var texts: [String] {
      let address = info.address.filter { $0 != ":" }.lowercased()
      let encryption =
        info.isEncrypted ? ["api_encryption=Noise_NNpsk0_25519_ChaChaPoly_SHA256"] : []
      return [
        "mac=\(address)", "friendly_name=\(info.friendlyName)", "version=\(info.version)",
        "platform=host", "project_name=\(info.project.name)",
        "project_version=\(info.project.version)",
      ] + encryption
    }

    func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }
    func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? { nil }
    func drained(_ loop: BusLoop) {}
    var nextDeadline: Uptime? { nil }
    func timePassed(_ loop: BusLoop) {}
    func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? { Self.pause }
  }
}
