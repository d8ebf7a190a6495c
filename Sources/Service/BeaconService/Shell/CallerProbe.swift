// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus
internal import Glibc
internal import SystemKit

/// Finds the program of a connection.
package struct CallerProbe: Sendable {
  /// Returns a program's origin, if systemd confirms that a unit runs as the program's account.
  package var origin: @Sendable (PeerCredentials) -> CallerOrigin
  /// Returns whether a program may do everything.
  package var isAdministrator: @Sendable (PeerCredentials) -> Bool

  /// Creates a probe.
  package init(
    origin: @escaping @Sendable (PeerCredentials) -> CallerOrigin,
    isAdministrator: @escaping @Sendable (PeerCredentials) -> Bool
  ) {
    self.origin = origin
    self.isAdministrator = isAdministrator
  }

  /// The group whose members may administer and answer.
  package static let group = "beacons"

  /// The machine's own.
  package static let standard = CallerProbe(
    origin: { credentials in
      if let pid = credentials.pid, let unit = unit(of: pid, uid: credentials.uid) {
        return .unit(unit)
      }
      return .account(accountName(of: credentials.uid))
    },
    isAdministrator: { credentials in
      if credentials.uid == 0 || credentials.uid == geteuid() { return true }
      guard let group = unsafe getgrnam(group) else { return false }
      return unsafe credentials.groups.contains(group.pointee.gr_gid)
    }
  )

  /// The system unit of a process; `nil` if there is none, or the process is no longer the account's.
  private static func unit(of pid: UInt32, uid: UInt32) -> String? {
    guard let text = try? WholeFile.read("/proc/\(pid)/cgroup"),
      FileStatus("/proc/\(pid)")?.owner == uid
    else { return nil }
    return CallerOrigin.unit(inCgroup: String(decoding: text, as: UTF8.self))
  }

  /// The account's name; its number if the name cannot be part of a client's name.
  package static func accountName(of uid: UInt32) -> String {
    guard let entry = unsafe getpwuid(uid), let name = unsafe entry.pointee.pw_name else {
      return "#\(uid)"
    }
    let text = unsafe String(cString: name)
    let isPlain =
      (1...64).contains(text.utf8.count) && !text.utf8.contains { $0 <= 0x20 || $0 == 0x2F }
    return isPlain ? text : "#\(uid)"
  }
}
