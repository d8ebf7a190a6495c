// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CBluetooth
internal import Glibc
internal import Synchronization

/// A socket for the kernel's Bluetooth control channel, closed when it goes out of scope.
///
/// Its commands need `CAP_NET_ADMIN`.
struct ManagementSocket: ~Copyable {
  /// The most bytes of one message: a header, and the longest payload of a 16-bit length.
  private static let longestMessage = 6 + 65535

  let descriptor: Int32

  /// A channel that was opened in advance.
  private static let prepared = Mutex<Int32?>(nil)

  /// Opens the channel for the next one who wants it.
  static func prepare() {
    guard let descriptor = open() else { return }
    let old = prepared.withLock { prepared in
      defer { prepared = descriptor }
      return prepared
    }
    if let old { _ = close(old) }
  }

  /// Takes the channel that was prepared, or opens it; `nil` if the kernel has no Bluetooth or does not permit it.
  init?() {
    let prepared = Self.prepared.withLock { prepared in
      defer { prepared = nil }
      return prepared
    }
    guard let descriptor = prepared ?? Self.open() else { return nil }
    self.descriptor = descriptor
  }

  private static func open() -> Int32? {
    let kind =
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_BLUETOOTH, kind, BTPROTO_HCI)
    guard descriptor >= 0 else { return nil }
    // Before it is bound, so that no report of another program's scan comes first.
    ChannelFilter.answers.attach(to: descriptor)
    var address = sockaddr_hci()
    address.hci_family = sa_family_t(AF_BLUETOOTH)
    address.hci_dev = UInt16(HCI_DEV_NONE)
    address.hci_channel = UInt16(HCI_CHANNEL_CONTROL)
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
      }
    }
    guard status == 0 else {
      _ = close(descriptor)
      return nil
    }
    return descriptor
  }

  deinit { _ = close(descriptor) }

  /// Sends a message.
  ///
  /// Some kernels return 0 instead of the length, so only the kernel's answer shows that it received the whole message.
  func send(_ message: [UInt8]) -> Bool {
    unsafe message.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) >= 0
    }
  }

  /// Returns the next waiting message.
  func receive() -> [UInt8]? {
    var failed = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.longestMessage) { buffer, count in
      let got = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
      failed = got < 0
      count = max(0, got)
    }
    return failed || bytes.isEmpty ? nil : bytes
  }
}
