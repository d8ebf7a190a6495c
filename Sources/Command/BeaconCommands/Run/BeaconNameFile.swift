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
    if let name, let fault = NameBook.fault(of: name) { throw UsageError(fault) }
    do throws(SystemError) {
      if name != nil { try FileDescriptor.createFolders(for: path) }
    } catch {
      throw CommandFailure(error)
    }
    try io.edit(configuration: path) { bytes in
      if let name, let other = try bearer(of: name, bytes), other != identity {
        let place = file.map { " --config \($0)" } ?? ""
        throw CommandFailure(
          .failed,
          "\(other) has the name \(quoted(name)); 'beaconctl name \(other) --remove\(place)' removes it"
        )
      }
      guard let edited = try edited(bytes, identity, name) else {
        throw CommandFailure(.failed, "\(identity) has no name in \(path)")
      }
      return edited
    }
  }

  /// The beacon that a file gives a name.
  private static func bearer(of name: String, _ bytes: [UInt8]) throws(JSON5Faults)
    -> BeaconIdentity?
  {
    guard
      case .object(let members)? = isBlank(bytes) ? nil : try JSON5.parse(bytes)["beacons"]?.content
    else { return nil }
    let member = members.last { $0.value.content == .string(name) }
    guard case .minor(let identity)? = try? member.map({ try IdentityConstraint(parsing: $0.key) })
    else { return nil }
    return identity
  }

  private static func isBlank(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// The file with the change; `nil` if it has no name that could be removed.
  ///
  /// A key may be written in another case, or without dashes: its own spelling stays. Of several, the last one counts.
  private static func edited(
    _ bytes: [UInt8],
    _ identity: BeaconIdentity,
    _ name: String?
  ) throws(JSON5Faults) -> [UInt8]? {
    let members = isBlank(bytes) ? [] : try JSON5.parse(bytes)["beacons"]?.keys ?? []
    let known = members.filter { (try? IdentityConstraint(parsing: $0)) == .minor(identity) }
    if let name {
      return try JSON5Edit.setText(name, at: ["beacons", known.last ?? "\(identity)"], in: bytes)
    }
    var bytes = bytes
    for key in known { bytes = try JSON5Edit.removeText(at: ["beacons", key], in: bytes) }
    return known.isEmpty ? nil : bytes
  }
}
