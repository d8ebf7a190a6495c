// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import CBluetooth
internal import Glibc

/// A socket of the kernel's HCI monitor channel: every packet between the kernel and its adapters, read only.
///
/// It disturbs no other program and starts no scan. Opening it needs `CAP_NET_RAW`.
package final class MonitorSocket: Sendable {
  /// A packet as it was read.
  package struct Packet: Sendable, Equatable {
    /// How many bytes of the buffer it fills.
    package var count: Int
    /// Whether there was more of it.
    package var isCut: Bool
    /// When the kernel received it, by the wall clock; `nil` where it did not say.
    package var stamp: Timestamp?
  }

  /// The room for a packet: a header and the longest HCI event, rounded up.
  package static let longestPacket = 4096
  /// The size of the kernel's buffer: enough for a stall of seconds at a thousand reports a second.
  private static let bufferBytes: Int32 = 4 << 20
  /// The room for what the kernel adds to a packet, its time, and more than that.
  private static let controlBytes = 128

  // Macros of the headers that Swift does not import; the same on all of Linux.
  private static let attachFilter: Int32 = 26
  private static let memoryInformation: Int32 = 55
  private static let dropsInMemoryInformation = 8

  /// The socket's descriptor, to wait on.
  package let descriptor: Int32

  /// Takes over a socket and sets it up: the kernel's time of each packet, a large buffer, the filter.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - filters: Whether it has the filter; it is made for sockets whose packets begin with the channel's header.
  package init(adopting descriptor: Int32, filters: Bool = true) {
    self.descriptor = descriptor
    set(SO_TIMESTAMP, to: Int32(1))
    // Beyond the system's limit only with CAP_NET_ADMIN.
    if !set(SO_RCVBUFFORCE, to: Self.bufferBytes) { set(SO_RCVBUF, to: Self.bufferBytes) }
    if filters { attachFilter() }
  }

  deinit { _ = close(descriptor) }

  /// Opens the channel.
  ///
  /// - Throws: ``BlueZUnavailable`` where the kernel has no Bluetooth, or does not permit it.
  package static func open() throws(BlueZUnavailable) -> MonitorSocket {
    let kind =
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_BLUETOOTH, kind, BTPROTO_HCI)
    let error = errno
    guard descriptor >= 0 else { throw reason(error) }
    // Set up before it is bound, so that what the kernel sends on binding is stamped and filtered already.
    let channel = MonitorSocket(adopting: descriptor)
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

  /// What an error of opening the channel means.
  package static func reason(_ error: Int32) -> BlueZUnavailable {
    switch error {
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .noKernelBluetooth
    case EPERM, EACCES: .kernelNotPermitted(program: Program.path)
    default: .kernelRefused(error: unsafe String(cString: strerror(error)))
    }
  }

  /// Reads the next packet into a buffer; `nil` when none is waiting.
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

  /// How many packets the kernel dropped because they were not read in time; `nil` where it does not say.
  ///
  /// The monitor channel does not report them, not even with a packet (`SO_RXQ_OVFL`); the socket's memory information,
  /// which every socket has, counts them.
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

  /// Without the filter everything works and only costs more, so a kernel that refuses it is no error.
  private func attachFilter() {
    var program = MonitorFilter.program.map {
      sock_filter(code: $0.code, jt: $0.ifTrue, jf: $0.ifFalse, k: $0.operand)
    }
    unsafe program.withUnsafeMutableBufferPointer { instructions in
      var filter = unsafe sock_fprog(
        len: UInt16(clamping: instructions.count),
        filter: instructions.baseAddress
      )
      let size = socklen_t(unsafe MemoryLayout<sock_fprog>.size)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, Self.attachFilter, &filter, size)
    }
  }

  // MARK: What the kernel adds to a packet

  /// Finds the time among control messages: each has its length, its level and its type before its content.
  private static func stamp(in control: UnsafeRawBufferPointer) -> Timestamp? {
    let header = MemoryLayout<Int>.size + 2 * MemoryLayout<Int32>.size
    guard control.count >= header + MemoryLayout<timeval>.size else { return nil }
    let level = unsafe control.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int32.self)
    let type = unsafe control.loadUnaligned(
      fromByteOffset: MemoryLayout<Int>.size + MemoryLayout<Int32>.size,
      as: Int32.self
    )
    // It is the only message asked for.
    guard level == SOL_SOCKET, type == SO_TIMESTAMP else { return nil }
    let time = unsafe control.loadUnaligned(fromByteOffset: header, as: timeval.self)
    return Timestamp(
      microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_usec)
    )
  }
}

/// The program that runs.
private enum Program {
  /// The path of its file, for messages that say what to do.
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
