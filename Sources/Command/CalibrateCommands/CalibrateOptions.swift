// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
package import BeaconCommands
package import BeaconCommandLine
package import BeaconCore

/// The options of a calibration, as given by the user.
package struct CalibrateOptions {
  /// The beacon to calibrate.
  static let beaconOption = CommandOption(
    "beacon",
    .constraint,
    "The beacon, as UUID/MAJOR/MINOR or by its name; several with --receiver, each with its --at",
    letter: "b",
    repeats: true
  )
  /// The receiver's places.
  static let atOption = CommandOption(
    "at",
    .distance(CalibrationSession.distances),
    "The distance from the beacon to the receiver (default: 1m); one for all captures, or one for each",
    repeats: true
  )
  /// The receiver to calibrate.
  static let receiverOption = CommandOption(
    "receiver",
    .text("NAME|all"),
    "Measure this receiver's RSSI offset, from beacons whose power is known"
  )
  /// How many samples are taken at a distance.
  static let samplesOption = CommandOption(
    "samples",
    .integer("N", CalibrationSession.fewestSamples...100_000),
    "Collect this many samples at each distance, live (default: \(usualSamples))"
  )
  /// How long to wait for them.
  static let patienceOption = CommandOption(
    "for",
    .duration,
    "Wait this long for them, live (default: 2m)"
  )
  /// The configuration file to write into.
  static let writeOption = CommandOption(
    "write",
    .output("FILE"),
    "Write the result into this configuration file and leave the rest of it unchanged"
  )

  /// Whether refused values are written all the same.
  static let forceFlag = CommandFlag(
    "force",
    "Write a result that is refused, or in place of a site's law of other origin"
  )
  /// Whether the limit between near and far is written in any case.
  static let zoneFlag = CommandFlag(
    "zone",
    "Put the limit between near and far midway between two levels, also in place of the file's own"
  )
  /// Whether the limit between near and far is left as it is.
  static let keepZoneFlag = CommandFlag(
    "keep-zone",
    "Leave the limit between near and far as it is"
  )

  /// Whose offset is wanted.
  package enum Receiver: Equatable {
    /// That of the receiver of a name.
    case named(String)
    /// That of every receiver that receives the beacons.
    case all

    /// The receiver's name; `nil` for all.
    package var name: String? {
      guard case .named(let name) = self else { return nil }
      return name
    }
  }

  /// The beacons and how far each stands from the receiver in meters; one unless a receiver is calibrated.
  package let beacons: [(identity: BeaconIdentity, meters: Double)]
  /// The receiver to calibrate; `nil` if a beacon is.
  package let receiver: Receiver?
  /// The beacon.
  package var beacon: BeaconIdentity { beacons[0].identity }
  /// The distances in meters, in the order they are stood at.
  package let places: [Double]
  /// The captures of each place, or of all beacons if a receiver is calibrated; empty when listening live.
  package let captures: [[String]]
  /// Where inputs come from and how the engine works.
  package let run: RunOptions
  /// How many samples are taken at a distance, live.
  package let samples: Int
  /// How long to wait for them, live.
  package let patience: TimeSpan
  /// The configuration file to write into.
  package let file: OutputPath?
  /// Whether refused values are written all the same.
  package let isForced: Bool
  /// Whether the limit between near and far is written: also in place of that of the file, only if the file lacks it, or
  /// not at all.
  package let zone: Zone

  package enum Zone: Sendable {
    case always, unlessSet, never
  }

  /// A hundred samples: half a minute of a usual beacon, and a level sure to half a decibel.
  private static let usualSamples = 100
  /// Two minutes: a beacon that is not received a hundred times in that time is too far away or too slow to calibrate.
  private static let usualPatience = TimeSpan.seconds(120)

  /// Reads the options of a command line.
  ///
  /// - Throws: ``UsageError`` if it does not make sense, ``CommandFailure`` if a configuration is wrong.
  package init(_ arguments: ParsedArguments, from configurations: ConfigurationPlaces) throws {
    let identities = try Self.identities(arguments)
    let given = arguments.all(Self.atOption)
    let paths = try arguments.captureGroups()
    if let name = arguments[Self.receiverOption] {
      receiver = name == "all" ? .all : .named(name)
      guard given.count <= 1 || given.count == identities.count else {
        throw UsageError(
          "\(identities.count) beacons and \(given.count) distances; give each --beacon the --at of its place",
          argument: arguments.place(of: Self.atOption)
        )
      }
      places = identities.indices.map { index in
        given.isEmpty ? MeasuredPower.distance : given[min(index, given.count - 1)]
      }
      captures = paths.isEmpty ? [] : [paths.flatMap { $0 }]
    } else {
      receiver = nil
      guard identities.count == 1 else {
        throw UsageError(
          "one beacon is calibrated at a time; several are for --receiver",
          argument: arguments.place(of: Self.beaconOption)
        )
      }
      places = given.isEmpty ? [MeasuredPower.distance] : given
      captures = try Self.captures(paths, places, arguments)
    }
    beacons = zip(identities, places).map { (identity: $0, meters: $1) }
    var run = RunOptions()
    let loaded = try LoadedConfiguration(arguments, from: configurations)
    (run.configuration, run.settings) = (loaded.configuration, loaded.settings)
    run.receiverOffsets = loaded.receiverOffsets
    run.adapter = arguments[Options.adapter]
    run.via = arguments.reportPath
    run.constraints = identities.map { .minor($0) }
    run.output = OutputOptions(arguments)
    self.run = run
    samples = arguments[Self.samplesOption] ?? Self.usualSamples
    patience = arguments[Self.patienceOption] ?? Self.usualPatience
    file = arguments[Self.writeOption]
    isForced = arguments.has(Self.forceFlag)
    zone =
      arguments.has(Self.zoneFlag)
      ? .always : places.count == 2 && !arguments.has(Self.keepZoneFlag) ? .unlessSet : .never
    guard zone != .always || receiver == nil && places.count > 1 else {
      throw UsageError(
        "--zone needs a beacon at two distances: one in the zone, one beyond it",
        argument: arguments.place(of: Self.zoneFlag)
      )
    }
  }

  /// The beacons named, each one beacon.
  private static func identities(_ arguments: ParsedArguments) throws -> [BeaconIdentity] {
    let constraints = arguments.all(beaconOption)
    return try constraints.map { constraint in
      guard case .minor(let identity) = constraint else {
        throw UsageError(
          "--beacon must name one beacon, UUID/MAJOR/MINOR or a name, not '\(constraint)'",
          argument: arguments.place(of: beaconOption)
        )
      }
      return identity
    }
  }

  /// The captures of each place from which a beacon is calibrated.
  private static func captures(
    _ paths: [[String]],
    _ places: [Double],
    _ arguments: ParsedArguments
  ) throws -> [[String]] {
    guard places.count > 1 else { return paths.isEmpty ? [] : [paths.flatMap { $0 }] }
    guard paths.isEmpty || paths.count == places.count else {
      throw UsageError(
        "\(places.count) distances and \(paths.count) \(paths.count == 1 ? "capture" : "captures");"
          + " give each --at the --from that was recorded there",
        argument: arguments.place(of: atOption)
      )
    }
    if (places.max() ?? 1) < (places.min() ?? 1) * SiteSurvey.leastRatio {
      throw UsageError(
        "the farthest distance must be at least \(Int(SiteSurvey.leastRatio)) times the nearest",
        argument: arguments.place(of: atOption)
      )
    }
    // Patterns may name the same file twice for one distance.
    let all = paths.flatMap { CaptureSource.distinct($0).paths }
    if CaptureSource.distinct(all).paths.count < all.count {
      throw UsageError(
        "one capture is named for two distances; give each --at the --from that was recorded there",
        argument: arguments.place(of: atOption)
      )
    }
    return paths
  }
}
