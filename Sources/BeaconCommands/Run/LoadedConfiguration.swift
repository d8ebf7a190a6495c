// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats
internal import Beacons
internal import SystemKit

/// A configuration as it came together: the profile, a file, and what was set on the command line.
package struct LoadedConfiguration {
  /// Where a constant's value came from.
  package enum Origin: String, Sendable {
    case profile, file, commandLine
  }

  /// What the engine runs with.
  package private(set) var configuration: Configuration
  /// Everything that is set, from which each module decodes its own configuration.
  package private(set) var settings: ConfigurationSettings
  /// What is added to a receiver's RSSI in dB, by the receiver's name, ordered by name.
  package private(set) var receiverOffsets: [(name: String, decibels: Double)] = []
  private var origins: [String: Origin] = [:]
  private var regions: [String: RegionSettings] = [:]

  /// Loads the configuration that a command line requests.
  ///
  /// - Throws: ``CommandFailure``: 64 for a fault on the command line, 66 and 78 for one of the file.
  package init(_ arguments: ParsedArguments, schema: ConfigurationSchema) throws {
    var file: ConfigurationFile?
    if let path = arguments[Options.config] {
      file = try ConfigurationFile(path: path, schema: schema)
    }
    settings = ConfigurationSettings(arguments[Options.profile] ?? file?.profile ?? .standard)
    configuration = Configuration(settings)
    if let file { apply(file) }
    for entry in arguments.entries(Options.set) {
      try apply(entry.value, argument: entry.place, schema)
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

  /// A constant's value.
  package func value(of constant: Constant) -> Constant.Value {
    constant.value(in: settings, given: configuration)
  }

  private mutating func apply(_ file: ConfigurationFile) {
    for setting in file.settings { apply(setting, from: .file) }
    configuration.ranging.calibration = file.calibration
    if let site = file.site { configuration.ranging.pathLoss = .twoPoint(site) }
    receiverOffsets = file.receiverOffsets
    regions = file.regions
  }

  private mutating func apply(
    _ setting: SettingArgument,
    argument: Int,
    _ schema: ConfigurationSchema
  ) throws {
    guard let constant = schema.constant(named: setting.key) else {
      let known = schema.constants.map(\.key)
      let hint = NearestName.find(setting.key, in: known).map { "; did you mean '\($0)'?" }
      throw UsageError(
        "no constant is named '\(setting.key)'" + (hint ?? "; see 'beaconctl config list'"),
        argument: argument
      )
    }
    do throws(ConstantError) {
      apply(try constant.setting(parsing: setting.value), from: .commandLine)
    } catch {
      throw UsageError("\(error), not '\(setting.value)'", argument: argument)
    }
  }

  private mutating func apply(_ setting: ConfigurationSetting, from origin: Origin) {
    settings.append(setting)
    configuration.apply(setting)
    origins[setting.key] = origin
  }
}

extension ConfigurationFile {
  /// Reads a file.
  ///
  /// - Throws: ``CommandFailure`` with every fault of the file, a line each.
  package init(path: String, schema: ConfigurationSchema) throws(CommandFailure) {
    let text: [UInt8]
    do throws(SystemError) {
      text = try WholeFile.read(path)
    } catch {
      throw CommandFailure(error)
    }
    do throws(JSON5Faults) {
      try self.init(text, schema)
    } catch {
      throw CommandFailure(.badConfiguration, error.faults.map { "\(path):\($0)" })
    }
  }
}
