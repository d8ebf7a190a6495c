// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import SystemKit

/// Notes for a user on a client's files, in a line.
enum ClientNote {
  static func text(
    of note: ClientDiagnostic,
    _ client: String,
    _ what: String = "grants"
  ) -> String {
    switch note {
    case .stateSetAside(let path, let reason) where path.includes("/grants.json."):
      "the grants of \(client) were damaged (\(reason)): the file is now \(path), and \(client) counts as denied;"
        + " 'beaconctl auth set whenInUse --client \(client)' grants it again"
    case .stateSetAside(let path, let reason):
      "the \(what) of \(client) were damaged (\(reason)): the file is now \(path), and new ones are started"
    case .persistenceUnavailable(let reason): "the \(what) of \(client) cannot be kept: \(reason)"
    case .stateOfNewerVersion(let path, let version):
      "\(path) is of version \(version), which a newer program wrote: it is neither read nor changed"
    case .switchUnreadable(let path, let reason):
      "location services count as off: \(path) cannot be read (\(reason))\(remedy(of: path))"
    default: "\(note)"
    }
  }

  /// The command that replaces the file of a switch, unless the fault is that of its folder.
  private static func remedy(of path: String) -> String {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let isFolder = FileStatus(folder)?.isFolder ?? true
    guard isFolder, Folder.distrust(folder) == nil else { return "" }
    return path == ClientStore.machineWidePath
      ? "; 'sudo beaconctl auth services on --machine' switches them on"
      : "; 'beaconctl auth services on' switches them on"
  }
}
