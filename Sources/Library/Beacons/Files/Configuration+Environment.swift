// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// A configuration file that cannot be used.
public struct ConfigurationFileError: BeaconError, Sendable, Equatable {
  /// The path of the file.
  public let path: String
  /// Every fault of the file, each with its line and column.
  public let faults: [String]
}

extension ConfigurationFileError {
  /// The faults, one a line.
  public var description: String { faults.map { "\(path):\($0)" }.joined(separator: "\n") }
}

extension Configuration {
  /// Reads the configuration file that `BEACONS_CONFIG` names, and no other.
  ///
  /// A library does not look for files: a program that wants one asks for it. If the variable is not set, or is `none`, the
  /// result has the profile's values. The file may set the constants of the engine, of receivers and of recordings, and its
  /// `calibration`; names of beacons, settings of regions and offsets of receivers are the command's.
  ///
  /// - Parameters:
  ///   - environment: The environment variables of the program.
  ///   - profile: The profile; `nil` is the file's, or else the default profile.
  ///   - otherwise: The profile where neither names one.
  /// - Returns: The configuration.
  /// - Throws: ``ConfigurationFileError`` for a file that is faulty or cannot be read.
  public static func ofEnvironment(
    _ environment: [String: String],
    profile: Profile? = nil,
    otherwise: Profile = .standard
  ) throws(ConfigurationFileError) -> Configuration {
    guard let path = environment["BEACONS_CONFIG"], !path.isEmpty, path != "none" else {
      return Configuration(profile ?? otherwise)
    }
    let file = try read(path)
    var configuration = Configuration(profile ?? file.profile ?? otherwise)
    for setting in file.settings { configuration.apply(setting) }
    for (constraint, power) in file.calibration.overrides {
      // The file was read with the bounds of a power, so it is within them.
      try? configuration.ranging.calibration.setPower(power, for: constraint)
    }
    if let site = file.site { configuration.ranging.pathLoss = .twoPoint(site) }
    return configuration
  }

  private static func read(_ path: String) throws(ConfigurationFileError) -> ConfigurationFile {
    do {
      let schema = ConfigurationSchema([.engine, .receivers, .recording, .authorization])
      return try ConfigurationFile(WholeFile.read(path), schema)
    } catch let faults as JSON5Faults {
      throw ConfigurationFileError(path: path, faults: faults.faults.map { "\($0)" })
    } catch {
      throw ConfigurationFileError(path: path, faults: ["\(error)"])
    }
  }
}
