// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
internal import BeaconFormats
internal import Beacons

/// A configuration as it came together: the profile, a file, and what was set on the command line.
package struct LoadedConfiguration {
  /// Where a constant's value came from.
  package enum Origin: String, Sendable {
    case profile, file, commandLine
  }

  /// What the engine runs with.
  package private(set) var configuration: Configuration
  /// What is added to a receiver's RSSI in dB, by the receiver's name, ordered by name.
  package private(set) var receiverOffsets: [(name: String, decibels: Double)] = []
  private var origins: [String: Origin] = [:]
  private var regions: [String: RegionSettings] = [:]

  /// Takes the configuration that a command line asks for.
  ///
  /// - Throws: ``CommandFailure``: 64 for a fault on the command line, 66 and 78 for one of the file.
  package init(_ arguments: ParsedArguments) throws {
    var file: ConfigurationFile?
    if let path = arguments[Options.config] {
      file = try ConfigurationFile(path: path)
    }
    configuration = Configuration(arguments[Options.profile] ?? file?.profile ?? .standard)
    if let file { try apply(file) }
    for entry in arguments.entries(Options.set) {
      try apply(entry.value, argument: entry.place)
    }
  }

  /// Returns a region with what the file says of the one of its name.
  package func region(_ name: String, _ constraint: IdentityConstraint) -> Region {
    var region = Region(RegionIdentifier(name), constraint)
    regions[name]?.apply(to: &region, configuration)
    return region
  }

  /// Where a constant's value came from.
  package func origin(of constant: Constant) -> Origin { origins[constant.key] ?? .profile }

  private mutating func apply(_ file: ConfigurationFile) throws {
    for (constant, value) in file.settings {
      try constant.set(value, in: &configuration)
      origins[constant.key] = .file
    }
    configuration.ranging.calibration = file.calibration
    if let site = file.site { configuration.ranging.pathLoss = .twoPoint(site) }
    receiverOffsets = file.receiverOffsets
    regions = file.regions
  }

  private mutating func apply(_ setting: SettingArgument, argument: Int) throws {
    guard let constant = Configuration.constant(named: setting.key) else {
      let known = Configuration.constants.map(\.key)
      let hint = NearestName.find(setting.key, in: known).map { "; did you mean '\($0)'?" }
      throw UsageError(
        "no constant is named '\(setting.key)'" + (hint ?? "; see 'beaconctl config list'"),
        argument: argument
      )
    }
    do throws(ConstantError) {
      try constant.set(parsing: setting.value, in: &configuration)
    } catch {
      throw UsageError("\(error), not '\(setting.value)'", argument: argument)
    }
    origins[constant.key] = .commandLine
  }
}
