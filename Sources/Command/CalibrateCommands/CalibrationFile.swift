// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCommandLine
internal import BeaconCore
internal import SystemKit
internal import BeaconFormats
internal import Beacons

/// The configuration file that a calibration is written into.
struct CalibrationFile {
  /// Its path.
  let path: String
  /// The levels that earlier calibrations measured.
  let places: [ConfigurationFile.MeasuredPlace]
  /// Whether it has a site's law that does not follow from these levels: one that was written by hand, or that is from
  /// another place.
  let hasForeignLaw: Bool
  /// Whether it has a limit between near and far, which a user chose or an earlier calibration wrote.
  let hasNearLimit: Bool

  /// By how much a law's exponent may differ from that of its places, since both are rounded.
  private static let exponentTolerance = 0.05

  /// Reads the file; a missing one is empty.
  ///
  /// - Throws: ``CommandFailure`` if the file cannot be read or has faults.
  init(_ path: String, _ schema: ConfigurationSchema) throws {
    self.path = path
    let file: ConfigurationFile
    do {
      let bytes = try Self.existing(path)
      file = try ConfigurationFile(bytes.contains { $0 > 0x20 } ? bytes : Self.nothing, schema)
    } catch let faults as JSON5Faults {
      throw CommandFailure(faults, of: path, .badConfiguration)
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
    places = file.places
    hasNearLimit = file.settings.contains { $0.key == "ranging.near" }
    var survey = SiteSurvey()
    var beacons: [BeaconIdentity] = []
    for place in places {
      if !beacons.contains(place.beacon) { beacons.append(place.beacon) }
      let number = beacons.firstIndex(of: place.beacon) ?? 0
      survey.add(level: place.level, at: place.meters, of: number)
    }
    let exponent = survey.fit?.heldExponent
    hasForeignLaw =
      file.site.map { site in
        exponent.map { abs($0 - site.exponent) > Self.exponentTolerance } ?? true
      } ?? false
  }

  /// Puts numbers into the file, its other contents and comments left as they are; a file that is not there is started.
  ///
  /// - Throws: ``CommandFailure`` if the file cannot be read, written, or changed.
  func write(_ settings: [(path: [String], number: String)], _ io: CommandIO) throws {
    try io.edit(configuration: path) { bytes in
      var bytes = bytes
      for (keys, number) in settings { bytes = try JSON5Edit.set(number, at: keys, in: bytes) }
      return bytes
    }
  }

  private static let nothing = Array("{}".utf8)

  private static func existing(_ path: String) throws(SystemError) -> [UInt8] {
    do throws(SystemError) {
      return try WholeFile.read(path)
    } catch {
      if error.isNoSuchFile { return [] }
      throw error
    }
  }
}
