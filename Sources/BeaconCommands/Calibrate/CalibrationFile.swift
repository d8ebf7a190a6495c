// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
internal import BeaconFormats
internal import Beacons

/// The configuration file that a calibration is written into.
enum CalibrationFile {
  /// Puts numbers into the file, its other contents and comments left as they are; a file that is not there is begun.
  ///
  /// - Throws: ``CommandFailure`` where the file cannot be read, written, or changed.
  static func write(
    _ settings: [(path: [String], number: String)],
    to path: String,
    _ files: OutputFiles
  ) throws {
    do {
      var bytes = try existing(path)
      for (keys, number) in settings {
        bytes = try JSON5Edit.set(number, at: keys, in: bytes)
      }
      try files.write(bytes, to: path, editing: true)
    } catch let faults as JSON5Faults {
      throw CommandFailure(.badConfiguration, faults.faults.map { "\(path):\($0)" })
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private static func existing(_ path: String) throws(SystemError) -> [UInt8] {
    do throws(SystemError) {
      return try WholeFile.read(path)
    } catch {
      if error.isNoSuchFile { return [] }
      throw error
    }
  }
}
