// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CBluetooth
internal import Glibc

/// The capabilities that a program has from its file or its unit, such as `CAP_NET_RAW` (`capabilities(7)`).
///
/// The kernel asks for them when its channels are opened, and not later. So a program that also reads files and serves pages
/// opens the channels first and keeps no capability.
package enum Capabilities {
  /// Whether this thread may use any although its user is not root, which has them all.
  package static var areGranted: Bool {
    var header = __user_cap_header_struct(version: version, pid: 0)
    var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
    guard geteuid() != 0, unsafe capget(&header, &sets) == 0 else { return false }
    return sets.contains { $0.permitted != 0 }
  }

  /// Drops root's capabilities of this thread and of those that it starts, but for those to files and to low ports.
  ///
  /// Root expects to read and write files of every account. Rights that a server of pages never needs are dropped: the kernel, other
  /// processes, the network's configuration, the devices. Call it before other threads exist: each has its own.
  package static func dropButFiles() {
    var header = __user_cap_header_struct(version: version, pid: 0)
    var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
    guard unsafe capget(&header, &sets) == 0 else { return }
    let files = [CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER]
    let kept =
      (files + [CAP_NET_BIND_SERVICE]).reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
      & sets[0].permitted
    sets[0] = __user_cap_data_struct(effective: kept, permitted: kept, inheritable: 0)
    sets[1] = __user_cap_data_struct()
    _ = unsafe capset(&header, sets)
  }

  /// Whether the user is root, with all rights of the system.
  package static var areRoots: Bool { geteuid() == 0 }

  /// Drops all capabilities of this thread and of those that it starts, for good.
  ///
  /// Call it before other threads exist: each has its own.
  package static func drop() {
    var header = __user_cap_header_struct(version: version, pid: 0)
    let none = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
    _ = unsafe capset(&header, none)
    // A unit's rights would otherwise come back with a program that this one starts; the call above empties this set as well,
    // since a capability in it must also be permitted.
  }

  /// The version of the kernel's structures, with two sets of 32 capabilities.
  private static let version: UInt32 = 0x2008_0522
}
