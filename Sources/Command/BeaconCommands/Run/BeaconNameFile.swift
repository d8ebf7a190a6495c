// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// Writes the names of beacons into a configuration file.
package enum BeaconNameFile {
  /// Puts a name into the named file, otherwise the account's, or removes it.
  package static func write(
    _ name: String?,
    of identity: BeaconIdentity,
    _ file: String?,
    _ io: CommandIO
  ) throws {
    if file == ConfigurationPlaces.none {
      throw UsageError("a name is kept in a file, and no file is read")
    }
    guard let path = file ?? io.configurations.userFile else {
      throw CommandFailure(.failed, "no home folder is known; set HOME or XDG_CONFIG_HOME")
    }
    if let name, name.isEmpty || name.count > NameBook.longestName {
      throw UsageError("a name has 1 to \(NameBook.longestName) characters")
    }
    do throws(SystemError) {
      if name != nil { try FileDescriptor.createFolders(for: path) }
    } catch {
      throw CommandFailure(error)
    }
    try io.edit(configuration: path) { bytes in
      guard let edited = try edited(bytes, identity, name) else {
        throw CommandFailure(.failed, "\(identity) has no name in \(path)")
      }
      return edited
    }
  }

  /// The file with the change; `nil` if it has no name that could be removed.
  ///
  /// A key may be written in another case, or without dashes: its own spelling stays. Of several, the last one counts.
  private static func edited(
    _ bytes: [UInt8],
    _ identity: BeaconIdentity,
    _ name: String?
  ) throws(JSON5Faults) -> [UInt8]? {
    let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let members = isEmpty ? [] : try JSON5.parse(bytes)["beacons"]?.keys ?? []
    let known = members.filter { (try? IdentityConstraint(parsing: $0)) == .minor(identity) }
    if let name {
      return try JSON5Edit.setText(name, at: ["beacons", known.last ?? "\(identity)"], in: bytes)
    }
    var bytes = bytes
    for key in known { bytes = try JSON5Edit.removeText(at: ["beacons", key], in: bytes) }
    return known.isEmpty ? nil : bytes
  }
}
