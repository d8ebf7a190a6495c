// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus
internal import Glibc
internal import SystemKit

/// Finds the program of a connection.
package struct CallerProbe: Sendable {
  /// Returns a program's origin, if systemd confirms that a unit runs as the program's account; `nil` if it cannot be found out now.
  package var origin: @Sendable (PeerCredentials) -> CallerOrigin?
  /// Returns whether a program may do everything; `nil` if it cannot be found out now.
  package var isAdministrator: @Sendable (PeerCredentials) -> Bool?

  /// Creates a probe.
  package init(
    origin: @escaping @Sendable (PeerCredentials) -> CallerOrigin?,
    isAdministrator: @escaping @Sendable (PeerCredentials) -> Bool?
  ) {
    self.origin = origin
    self.isAdministrator = isAdministrator
  }

  /// The group whose members may administer and answer.
  package static let group = "beacons"

  /// The machine's own.
  package static let standard = CallerProbe(
    origin: { credentials in
      do throws(SystemError) {
        if let pid = credentials.pid, let unit = try unit(of: pid, uid: credentials.uid) {
          return .unit(unit)
        }
      } catch {
        return nil
      }
      return knownName(of: credentials.uid).map { .account($0) }
    },
    isAdministrator: { credentials in
      if credentials.uid == 0 || credentials.uid == geteuid() { return true }
      for _ in 0..<2 {
        errno = 0
        if let group = unsafe getgrnam(group) {
          return unsafe credentials.groups.contains(group.pointee.gr_gid)
        }
        guard isAnswered(errno) else { return nil }
      }
      return false
    }
  )

  /// Whether the account database answered that it has no entry.
  ///
  /// Of several databases only the error of the last one is known. So there must be descriptors for all of them, and the database is
  /// asked again after that.
  private static func isAnswered(_ error: Int32) -> Bool {
    [0, ENOENT, ESRCH].contains(error) && FileDescriptor.hasRoom(leaving: 8)
  }

  /// The system unit of a process; `nil` if there is none, or the process is no longer the account's.
  ///
  /// - Throws: `SystemError` if descriptors or memory are missing.
  private static func unit(of pid: UInt32, uid: UInt32) throws(SystemError) -> String? {
    let text: [UInt8]
    do throws(SystemError) {
      text = try WholeFile.read("/proc/\(pid)/cgroup")
    } catch {
      if error.isShortage { throw error }
      return nil
    }
    guard FileStatus("/proc/\(pid)")?.owner == uid else { return nil }
    return CallerOrigin.unit(inCgroup: String(decoding: text, as: UTF8.self))
  }

  /// The account's name; its number if the name cannot be part of a client's name.
  package static func accountName(of uid: UInt32) -> String { knownName(of: uid) ?? "#\(uid)" }

  /// The same; `nil` if the account database does not answer now.
  package static func knownName(of uid: UInt32) -> String? {
    for _ in 0..<2 {
      errno = 0
      if let entry = unsafe getpwuid(uid), let name = unsafe entry.pointee.pw_name {
        return unsafe plain(String(cString: name), uid)
      }
      guard isAnswered(errno) else { return nil }
    }
    return "#\(uid)"
  }

  private static func plain(_ text: String, _ uid: UInt32) -> String {
    let isPlain =
      (1...64).contains(text.utf8.count) && !text.utf8.contains { $0 <= 0x20 || $0 == 0x2F }
    return isPlain ? text : "#\(uid)"
  }
}
