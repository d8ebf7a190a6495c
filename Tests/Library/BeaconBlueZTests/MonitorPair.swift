// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import Glibc
import Synchronization
import Testing

/// The two ends of a socket that replaces the kernel's monitor channel.
final class MonitorPair: Sendable {
  let channel: MonitorSocket
  private let kernel: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    kernel = ends[0]
    channel = MonitorSocket(adopting: ends[1])
  }

  /// Creates a pair whose channel, like the kernel's, drops packets while its small buffer is full; it has no filter.
  ///
  /// It uses datagrams on the loopback interface, because among local sockets only those drop.
  init(dropping buffer: Int32) throws {
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let ends = [socket(AF_INET, kind, 0), socket(AF_INET, kind, 0)]
    kernel = ends[0]
    channel = MonitorSocket(adopting: ends[1], filter: nil)
    var size = buffer
    _ = setsockopt(channel.descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = (kernel: kernel, channel: channel.descriptor)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor.channel, $0, length) == 0
          && getsockname(descriptor.channel, $0, &length) == 0
          && connect(descriptor.kernel, $0, length) == 0
      }
    }
    try #require(isConnected)
  }

  deinit { _ = close(kernel) }

  /// Sends a packet as it is.
  func send(_ packet: [UInt8]) {
    _ = packet.withUnsafeBytes { Glibc.send(kernel, $0.baseAddress, $0.count, 0) }
  }

  /// Sends a packet with its header.
  func send(_ opcode: UInt16, _ adapter: UInt16 = 0, _ payload: [UInt8] = []) {
    send(Self.packet(opcode, adapter, payload))
  }

  static func packet(_ opcode: UInt16, _ adapter: UInt16, _ payload: [UInt8]) -> [UInt8] {
    let header = [opcode, adapter, UInt16(payload.count)]
    return header.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + payload
  }

  /// New Index with an address and the name `hci0`.
  static func newIndex(_ address: [UInt8] = [6, 5, 4, 3, 2, 1]) -> [UInt8] {
    [0, 1] + address + Array("hci0".utf8) + [0, 0, 0, 0]
  }

  /// An advertising report of an iBeacon with a minor.
  static func report(minor: UInt8, rssi: Int8 = -60) -> [UInt8] {
    let uuid = [UInt8](repeating: 0xAB, count: 16)
    let data: [UInt8] = [2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 0x15] + uuid + [0, 1, 0, minor, 0xC5]
    let head: [UInt8] = [2, 1, 3, 1, minor, 0, 0, 0, 0, 0xC0, UInt8(data.count)]
    let parameters = head + data + [UInt8(bitPattern: rssi)]
    return [0x3E, UInt8(parameters.count)] + parameters
  }
}
