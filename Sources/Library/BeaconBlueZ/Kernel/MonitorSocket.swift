// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import CBluetooth
internal import Glibc

/// A socket for the kernel's HCI monitor channel, which passes on every packet between the kernel and its adapters.
///
/// It is read-only.
///
/// It disturbs no other program and starts no scan. Opening it needs `CAP_NET_RAW`.
package final class MonitorSocket: Sendable {
  /// A received packet.
  package struct Packet: Sendable, Equatable {
    /// The number of bytes it fills in the buffer.
    package var count: Int
    /// Whether the packet was longer than the buffer.
    package var isCut: Bool
    /// When the kernel received it, as a wall-clock time; `nil` if the kernel gave no time.
    package var stamp: Timestamp?
  }

  /// The size of the buffer for a packet: a header and the longest HCI event, rounded up.
  package static let longestPacket = 4096
  /// The size of the kernel's buffer: enough for a stall of seconds at a thousand reports a second.
  private static let bufferBytes: Int32 = 4 << 20
  /// The size of the buffer for the control messages of a packet; more than its time stamp needs.
  private static let controlBytes = 128

  // Macros of the headers that Swift does not import; the same on all of Linux.
  private static let memoryInformation: Int32 = 55
  private static let dropsInMemoryInformation = 8

  /// The socket's descriptor, to wait on.
  package let descriptor: Int32

  /// Takes over a socket, and requests a time stamp for each packet, a large buffer and the filter.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - filter: The filter, which needs packets that begin with the channel's header.
  package init(
    adopting descriptor: Int32,
    filter: ChannelFilter? = .reports
  ) {
    self.descriptor = descriptor
    set(SO_TIMESTAMP, to: Int32(1))
    // A buffer beyond the system's limit needs CAP_NET_ADMIN.
    if !set(SO_RCVBUFFORCE, to: Self.bufferBytes) { set(SO_RCVBUF, to: Self.bufferBytes) }
    filter?.attach(to: descriptor)
  }

  deinit { _ = close(descriptor) }

  /// Opens the channel for adapters and reports.
  ///
  /// - Throws: ``BlueZUnavailable`` if the kernel has no Bluetooth or does not permit it.
  package static func open() throws(BlueZUnavailable) -> MonitorSocket {
    try open(.reports)
  }

  /// Opens the channel for the packets that a filter passes.
  ///
  /// - Throws: ``BlueZUnavailable`` if the kernel has no Bluetooth or does not permit it.
  package static func open(
    _ filter: ChannelFilter
  ) throws(BlueZUnavailable) -> MonitorSocket {
    let kind =
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_BLUETOOTH, kind, BTPROTO_HCI)
    let error = errno
    guard descriptor >= 0 else { throw reason(error, hasSocket: false) }
    // It is set up before it is bound, so that the kernel's packets on binding are already stamped and filtered.
    let channel = MonitorSocket(adopting: descriptor, filter: filter)
    var address = sockaddr_hci()
    address.hci_family = sa_family_t(AF_BLUETOOTH)
    address.hci_dev = UInt16(HCI_DEV_NONE)
    address.hci_channel = UInt16(HCI_CHANNEL_MONITOR)
    let refusal: Int32? = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        let status = unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
        return status == 0 ? nil : errno
      }
    }
    if let refusal { throw reason(refusal) }
    return channel
  }

  /// Returns the meaning of an error number from opening the channel.
  ///
  /// - Parameters:
  ///   - error: The error number.
  ///   - hasSocket: Whether the socket was created. That needs no capability, so none helps if it is refused.
  /// - Returns: Its meaning.
  package static func reason(_ error: Int32, hasSocket: Bool = true) -> BlueZUnavailable {
    switch error {
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .noKernelBluetooth
    case EPERM, EACCES:
      hasSocket ? .kernelNotPermitted(program: ProgramPath.path) : .kernelForbidden
    default: .kernelRefused(error: unsafe String(cString: strerror(error)))
    }
  }

  /// Reads the next packet into a buffer; `nil` if none is waiting.
  package func receive(into buffer: inout [UInt8]) -> Packet? {
    unsafe buffer.withUnsafeMutableBytes { room in
      unsafe withUnsafeTemporaryAllocation(byteCount: Self.controlBytes, alignment: 16) { control in
        var part = unsafe iovec(iov_base: room.baseAddress, iov_len: room.count)
        return unsafe withUnsafeMutablePointer(to: &part) { part in
          var message = unsafe msghdr()
          unsafe message.msg_iov = part
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          let count = unsafe recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
          guard count >= 0 else { return nil }
          let added = unsafe UnsafeRawBufferPointer(
            rebasing: control[..<Int(message.msg_controllen)]
          )
          return unsafe Packet(
            count: count,
            isCut: message.msg_flags & Int32(MSG_TRUNC) != 0,
            stamp: unsafe Self.stamp(in: added)
          )
        }
      }
    }
  }

  /// How many packets the kernel dropped because they were not read in time; `nil` if it does not count them.
  ///
  /// The monitor channel itself does not report dropped packets, not even with a packet (`SO_RXQ_OVFL`). The socket's
  /// memory information, which every socket has, counts them.
  package var dropped: UInt32? {
    var information = [UInt32](repeating: 0, count: Self.dropsInMemoryInformation + 1)
    var size = socklen_t(information.count * MemoryLayout<UInt32>.stride)
    let status = unsafe getsockopt(
      descriptor,
      SOL_SOCKET,
      Self.memoryInformation,
      &information,
      &size
    )
    guard status == 0, Int(size) == information.count * MemoryLayout<UInt32>.stride else {
      return nil
    }
    return information[Self.dropsInMemoryInformation]
  }

  // MARK: Setting up

  @discardableResult
  private func set(_ option: Int32, to value: Int32) -> Bool {
    var value = value
    return unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(4)) == 0
  }

  // MARK: Control messages

  /// Finds the time stamp among the control messages.
  ///
  /// Each message starts with its length, its level and its type.
  private static func stamp(in control: UnsafeRawBufferPointer) -> Timestamp? {
    let header = MemoryLayout<Int>.size + 2 * MemoryLayout<Int32>.size
    guard control.count >= header + MemoryLayout<timeval>.size else { return nil }
    let level = unsafe control.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int32.self)
    let type = unsafe control.loadUnaligned(
      fromByteOffset: MemoryLayout<Int>.size + MemoryLayout<Int32>.size,
      as: Int32.self
    )
    // The time stamp is the only requested message.
    guard level == SOL_SOCKET, type == SO_TIMESTAMP else { return nil }
    let time = unsafe control.loadUnaligned(fromByteOffset: header, as: timeval.self)
    return Timestamp(
      microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_usec)
    )
  }
}

/// This program.
private enum ProgramPath {
  /// The path of its file, for messages that show a command.
  static var path: String {
    let room = 4096
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = unsafe max(
        0,
        start.withMemoryRebound(to: CChar.self, capacity: room) { text in
          unsafe readlink("/proc/self/exe", text, room)
        }
      )
    }
    return bytes.isEmpty ? "PROGRAM" : String(decoding: bytes, as: UTF8.self)
  }
}
