// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What the user said about a calibration.
package struct CalibrateOptions {
  /// The beacon.
  package let beacon: BeaconIdentity
  /// The distances in meters, in the order they are stood at.
  package let places: [Double]
  /// The captures of each place; empty when listening live.
  package let captures: [[String]]
  /// Where inputs come from and how the engine works.
  package let run: RunOptions
  /// How many samples are taken at a distance, live.
  package let samples: Int
  /// How long to wait for them, live.
  package let patience: TimeSpan
  /// The configuration file to write into.
  package let file: String?

  /// A hundred samples: half a minute of a usual beacon, and a level sure to half a decibel.
  private static let usualSamples = 100
  /// Two minutes: a beacon that is not heard a hundred times in that time is too far away or too slow to calibrate.
  private static let usualPatience = TimeSpan.seconds(120)

  /// Takes what the user said from a command line.
  ///
  /// - Throws: ``UsageError`` where it does not make sense, ``CommandFailure`` where a configuration is wrong.
  package init(_ arguments: ParsedArguments) throws {
    guard let constraint = arguments.constraints(.calibratedBeacon).first else {
      throw UsageError(
        "--beacon is missing; name one beacon ('beaconctl scan' lists those that are heard)"
      )
    }
    guard case .minor(let identity) = constraint else {
      throw UsageError(
        "--beacon must name one beacon, UUID/MAJOR/MINOR, not '\(constraint)'",
        argument: arguments.place(of: .calibratedBeacon)
      )
    }
    beacon = identity
    let given = arguments.numbers(.at)
    places = given.isEmpty ? [MeasuredPower.distance] : given
    let paths = arguments.texts(.from)
    if places.count == 1 {
      captures = paths.isEmpty ? [] : [paths]
    } else {
      guard paths.isEmpty || paths.count == places.count else {
        throw UsageError(
          "\(places.count) distances and \(paths.count) \(paths.count == 1 ? "capture" : "captures");"
            + " give each --at the --from that was recorded there",
          argument: arguments.place(of: .at)
        )
      }
      captures = paths.map { [$0] }
    }
    let least = places.min() ?? 1
    let most = places.max() ?? 1
    if places.count > 1, most < least * SiteSurvey.leastRatio {
      throw UsageError(
        "the farthest distance must be at least \(Int(SiteSurvey.leastRatio)) times the nearest",
        argument: arguments.place(of: .at)
      )
    }
    var run = RunOptions()
    let loaded = try LoadedConfiguration(arguments)
    run.configuration = loaded.configuration
    run.receiverOffsets = loaded.receiverOffsets
    run.adapter = arguments.text(.adapter)
    run.via = arguments.reportPath
    run.constraints = [constraint]
    run.output = OutputOptions(arguments)
    self.run = run
    samples = arguments.integer(.samples) ?? Self.usualSamples
    patience = arguments.span(.patience) ?? Self.usualPatience
    file = arguments.text(.write)
  }
}
