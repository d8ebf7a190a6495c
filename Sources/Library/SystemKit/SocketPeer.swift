// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#endif

/// The other end of a connection; limits that several have together are shared between these.
///
/// On this machine it is an account, since each has sixteen million addresses.
public enum SocketPeer: Hashable, Sendable {
  /// An account of this machine, or the range of numbers that belongs to one (`subuid(5)`).
  case account(UInt32)
  /// Any account of this machine whose number the kernel does not tell.
  case anyAccount
  /// An address of another machine.
  case address(String)
}

extension SocketPeer: CustomStringConvertible {
  /// The peer as text, such as `account 1000` or `192.168.1.5`.
  public var description: String {
    switch self {
    case .account(let number): "account \(number)"
    case .anyAccount: "this machine"
    case .address(let address): address
    }
  }
}

/// The numbers that accounts may give to programs in their containers: those of one account count as one.
struct SubordinateAccounts: Sendable {
  private var ranges: [(numbers: Range<UInt32>, first: UInt32)] = []

  /// - Parameter text: The lines of `/etc/subuid`: account, first number and count.
  init(_ text: String) {
    var first: [Substring: UInt32] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":")
      guard parts.count == 3, let start = UInt32(parts[1]), let count = UInt32(parts[2]) else {
        continue
      }
      let (end, isTooLarge) = start.addingReportingOverflow(count)
      let owner = first[parts[0], default: start]
      first[parts[0]] = owner
      ranges.append((start..<(isTooLarge ? .max : end), owner))
    }
  }

  /// The number by which an account counts.
  func counted(_ account: UInt32) -> UInt32 {
    ranges.first { $0.numbers.contains(account) }?.first ?? account
  }
}

#if canImport(Glibc)
  /// The address of one end of a TCP connection.
  struct SocketAddress {
    /// Four bytes, or 16 of IPv6.
    let bytes: [UInt8]
    let port: UInt16

    init(_ storage: sockaddr_storage) {
      let all = unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(24)) }
      port = UInt16(all[2]) << 8 | UInt16(all[3])
      let isNewer = storage.ss_family == sa_family_t(AF_INET6)
      let address = isNewer ? Array(all[8..<24]) : Array(all[4..<8])
      // A connection by IPv4 to a socket of IPv6.
      let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
      bytes = address.starts(with: mapped) && isNewer ? Array(address.suffix(4)) : address
    }

    /// The address as a user writes it.
    var text: String {
      guard bytes.count > 4 else { return bytes.map(String.init).joined(separator: ".") }
      var name = [CChar](repeating: 0, count: 64)
      _ = unsafe inet_ntop(AF_INET6, bytes, &name, socklen_t(name.count))
      return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var isLoopback: Bool {
      bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }
  }

  /// Asks the kernel which account a connection of this machine belongs to (`sock_diag(7)`).
  final class ConnectionOwners: Sendable {
    private let descriptor: Int32
    private let subordinates: SubordinateAccounts

    /// The kernel's numbers, which Glibc's module does not have: the protocol of a netlink socket, the kind of a message,
    /// and the flag of a request.
    private static let (protocolNumber, byFamily, isRequest): (Int32, UInt16, UInt16) = (4, 20, 1)
    /// The number of the loopback interface: every connection within a machine arrives there.
    private static let loopback: UInt32 = 1

    init() {
      let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      // A sandbox may forbid it: then all accounts count as one.
      descriptor = socket(
        AF_NETLINK,
        kind | Int32(SOCK_NONBLOCK.rawValue),
        Self.protocolNumber
      )
      let text = (try? WholeFile.read("/etc/subuid")) ?? []
      subordinates = SubordinateAccounts(String(decoding: text, as: UTF8.self))
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Returns the peer of an accepted connection.
    ///
    /// A program elsewhere has no socket here, whatever its address.
    func peer(_ other: SocketAddress, of own: SocketAddress) -> SocketPeer {
      let answer = ask(other, own)
      if let (account, socket) = answer, socket != 0 {
        return .account(subordinates.counted(account))
      }
      // A socket that its program has closed belongs to no account any more.
      return answer != nil || other.isLoopback ? .anyAccount : .address(other.text)
    }

    /// Returns the account and the number of the socket at the other end; `nil` if it is not found.
    private func ask(_ other: SocketAddress, _ own: SocketAddress) -> (UInt32, UInt32)? {
      guard descriptor >= 0 else { return nil }
      var request: [UInt8] = []
      func add(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number) { unsafe request.append(contentsOf: $0) }
      }
      // struct nlmsghdr, inet_diag_req_v2 and inet_diag_sockid; of TCP, in any state.
      add(72 as UInt32)
      for number in [Self.byFamily, Self.isRequest] { add(number) }
      for number in [0 as UInt32, 0] { add(number) }
      let family = other.bytes.count == 4 ? AF_INET : AF_INET6
      for number in [UInt8(family), UInt8(IPPROTO_TCP), 0, 0] { add(number) }
      add(UInt32.max)
      for end in [other, own] { add(end.port.bigEndian) }
      for end in [other, own] {
        request += end.bytes + [UInt8](repeating: 0, count: 16 - end.bytes.count)
      }
      for number in [Self.loopback, .max, .max] { add(number) }
      guard unsafe send(descriptor, request, request.count, 0) == request.count else { return nil }
      // The kernel has answered before the call returned.
      var answer = [UInt8](repeating: 0, count: 512)
      let count = unsafe recv(descriptor, &answer, answer.count, 0)
      // struct nlmsghdr and inet_diag_msg.
      guard count >= 88 else { return nil }
      let (kind, port, account, socket) = unsafe answer.withUnsafeBytes { bytes in
        unsafe (
          bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self),
          UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 22, as: UInt16.self)),
          bytes.loadUnaligned(fromByteOffset: 80, as: UInt32.self),
          bytes.loadUnaligned(fromByteOffset: 84, as: UInt32.self)
        )
      }
      // Without such a connection the kernel may name a socket that listens on the other end's port.
      return kind == Self.byFamily && port == own.port ? (account, socket) : nil
    }
  }
#endif
