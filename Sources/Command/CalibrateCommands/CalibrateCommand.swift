// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCommands
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `calibrate measure`: the measured power of a beacon, and the law by which its signal falls off, from measured distances; or the offset of a
/// receiver's RSSI, from beacons at such.
package struct CalibrateCommand {
  /// `calibrate`: constants that fit a place, from the reports there.
  package static let command = BeaconctlCommand(
    "calibrate",
    "Measure the power of a beacon at 1 m, or of a site",
    subcommands: [measure, SweepCommand.command],
    defaultSubcommand: "measure"
  )

  /// `calibrate measure`: a beacon's power on this receiver.
  private static let measure = BeaconctlCommand(
    "measure",
    "Measure the power of a beacon at 1 m, or of a site",
    discussion: [
      "Stand still at two distances measured by tape, in sight of the beacon: one meter, and a zone's limit or farther."
        + " One meter gives only the beacon's power; the second point also gives how its signal falls with distance here."
        + " Where people carry beacons or receivers, set ranging.carried too.",
      "With captures, give one --at for all or one for each. Exit code 2 if the received reports cannot be used.",
      "With --receiver the receiver is calibrated, from beacons of known power and place: each --beacon has"
        + " its --at. Several captures then count as one.",
    ],
    groups: [
      .source([Options.adapter, Options.via, Options.from]),
      OptionGroup(
        "Calibration",
        [
          CalibrateOptions.beaconOption, CalibrateOptions.atOption, CalibrateOptions.receiverOption,
          CalibrateOptions.samplesOption, CalibrateOptions.patienceOption,
          CalibrateOptions.writeOption, CalibrateOptions.zoneFlag, CalibrateOptions.keepZoneFlag,
          CalibrateOptions.forceFlag,
        ]
      ),
      .settings, OptionGroup("Output", [Options.reportFormat]),
    ],
    required: [CalibrateOptions.beaconOption],
    exclusive: [
      ["adapter", "from"], ["via", "from"], ["samples", "from"], ["for", "from"],
      ["zone", "keep-zone"],
    ]
      + Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl calibrate -b F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17 --at 1m --at 4m",
        "Measure live from two distances"
      ),
      CommandExample(
        "beaconctl calibrate -f near.jsonl -b F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17",
        "Measure from a capture made there"
      ),
      CommandExample(
        "beaconctl calibrate --receiver all -b F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/7",
        "Calibrate every receiver one meter from a beacon"
      ),
    ]
  ) { arguments, io in
    try await CalibrateCommand(arguments, io: io).run()
  }

  private let options: CalibrateOptions
  private let isTable: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    isTable = io.reportFormat(arguments[Options.reportFormat], arguments) == .table
    options = try CalibrateOptions(arguments, from: io.configurations)
    self.io = io
  }

  /// Listens from every place, prints the result, and writes it to the user's file.
  package func run() async throws -> ExitCode {
    // A file that cannot be changed is reported before the user walks to a place.
    let file = try options.file.map { try CalibrationFile($0.path, io.schema) }
    if let receiver = options.receiver { return try await run(receiver, file) }
    let places = try await options.captures.isEmpty ? live() : replayed()
    guard let places else { return Interruption.exitCode ?? .interrupted }
    let result = CalibrationResult(
      options.beacon,
      places,
      earlier: file?.places ?? [],
      isForced: options.isForced
    )
    try io.output.write(isTable ? result.table : result.json)
    guard result.isUsable else {
      io.show("nothing was written: \(unusable(result))")
      return .negativeVerdict
    }
    result.warnings.forEach(io.show)
    if let file, file.hasForeignLaw, result.fit != nil, !options.isForced {
      io.show(
        "nothing was written: \(file.path) has a site's law that does not follow from its places;"
          + " --force replaces it"
      )
      return .negativeVerdict
    }
    var settings = result.settings
    let setsZone =
      switch options.zone {
      case .always: true
      case .unlessSet: file.map { !$0.hasNearLimit } ?? false
      case .never: false
      }
    if setsZone, let limit = result.nearLimit {
      settings.append((["set", "ranging.near"], "\(limit)"))
      io.show(
        "limit between near and far: \(limit) m, midway between the levels"
          + (options.zone == .always ? "" : "; --keep-zone leaves it as it is")
      )
    }
    try write(settings, file)
    return .done
  }

  /// Listens to beacons of known place, prints the receivers' offsets, and writes them to the user's file.
  private func run(
    _ receiver: CalibrateOptions.Receiver,
    _ file: CalibrationFile?
  ) async throws -> ExitCode {
    let wanted = receiver.name
    let places = options.beacons
    let (receiving, names) =
      try await options.captures.isEmpty
      ? LiveCalibration(options, io: io).run { _ in ReceiverReception(places, receiver: wanted) }
      : replayed(options.captures[0]) { _ in ReceiverReception(places, receiver: wanted) }
    if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
    if let wanted, !names.contains(wanted) {
      let known = names.isEmpty ? "none is named" : "there are: \(names.joined(separator: ", "))"
      io.show("nothing was written: no receiver is '\(wanted)'; \(known)")
      return .negativeVerdict
    }
    let result = ReceiverResult(
      receiving,
      names: names,
      wanted: wanted,
      options.run.configuration.ranging
    )
    try io.output.write(isTable ? result.table : result.json)
    guard result.isUsable else {
      io.show("nothing was written: \(result.complaint)")
      return .negativeVerdict
    }
    result.warnings.forEach(io.show)
    if places.count < ReceiverOffsetSession.fewestSureBeacons {
      io.show(
        "of \(ReceiverOffsetSession.fewestSureBeacons) or more beacons, one in a bad place does not matter"
      )
    }
    try write(result.settings, file)
    return .done
  }

  /// The remedy for a result that is of no use.
  private func unusable(_ result: CalibrationResult) -> String {
    if let complaint = result.complaint { return complaint }
    for (index, place) in result.places.enumerated() where !place.session.verdict.isUsable {
      let meters = CalibrationResult.tenth(place.session.meters)
      guard place.session.count > 0 else {
        if place.unmeasured > 0 {
          return
            "\(options.beacon) was received \(place.unmeasured) times at \(meters) m, each time without an RSSI"
        }
        let missing = "\(options.beacon) was not received at \(meters) m"
        guard index < options.captures.count, let path = options.captures[index].first else {
          return missing + "; 'beaconctl scan' shows all"
        }
        let name = WholeFile.name(path)
        return "\(missing) in \(name); 'beaconctl inspect \(name)' lists the beacons in it"
      }
      return "at \(meters) m, \(place.session.verdict) (--force writes it all the same)"
    }
    return "nothing was received"
  }

  // MARK: Captures

  /// Reads the captures of every place to their end.
  private func replayed() async throws -> [CalibrationResult.Place] {
    var places: [CalibrationResult.Place] = []
    for (paths, meters) in zip(options.captures, options.places) {
      let (receiving, names) = try await replayed(paths) {
        CalibrationReception(at: meters, calibration: $0.ranging.calibration)
      }
      places.append(place(receiving, at: meters, receivers: names))
    }
    return places
  }

  /// Reads captures to their end.
  ///
  /// - Returns: The reports, and the receivers' names.
  private func replayed<Listener: CalibrationListener>(
    _ paths: [String],
    _ makeListener: @escaping (Configuration) -> Listener
  ) async throws -> (Listener, [String]) {
    let captures = try CaptureSource(paths, timing: options.run.configuration.timing)
    let gathering = CalibrationGathering(makeListener)
    let setup = EngineSetup(options.run, .sightings)
    var run = Runner(
      captures,
      setup,
      participants: [RunRequests(setup), gathering],
      isInterrupted: io.isInterrupted
    )
    _ = try await run.run()
    captures.remarks.forEach(io.show)
    return (
      gathering.listener ?? makeListener(options.run.configuration), captures.receiverNames
    )
  }

  private func place(
    _ receiving: CalibrationReception,
    at meters: Double,
    receivers: [String]
  ) -> CalibrationResult.Place {
    let best = receiving.best
    if receiving.receivers > 1 {
      io.show("\(receiving.receivers) receivers received it; the one with the most reports is used")
    }
    let name = best.flatMap {
      receivers.indices.contains($0.receiver) ? receivers[$0.receiver] : nil
    }
    return CalibrationResult.Place(
      session: best?.session ?? CalibrationSession(at: meters),
      announcedPower: receiving.announcedPower,
      unmeasured: receiving.unmeasured,
      receiver: name ?? ""
    )
  }

  // MARK: Live

  /// Listens from each place in turn; `nil` if the user stopped it.
  private func live() async throws -> [CalibrationResult.Place]? {
    var places: [CalibrationResult.Place] = []
    var guide = try CalibrationGuide(options, io: io)
    for (index, meters) in options.places.enumerated() {
      guard try guide.isReady(for: index) else { return nil }
      let (receiving, receivers) = try await LiveCalibration(options, io: io).run {
        CalibrationReception(at: meters, calibration: $0.ranging.calibration)
      }
      if io.isInterrupted() { return nil }
      places.append(place(receiving, at: meters, receivers: receivers))
      let verdict = places[index].session.verdict
      io.show("\(CalibrationResult.tenth(meters)) m: \(verdict)")
      // What follows cannot make up for it.
      if !verdict.isUsable, !options.isForced { break }
    }
    return places
  }

  // MARK: The file

  /// Puts the result into the configuration file, or shows what to put there.
  private func write(
    _ settings: [(path: [String], number: String)],
    _ file: CalibrationFile?
  ) throws {
    guard let file else {
      io.show(
        "--write FILE writes it to a configuration file, which range reads with"
          + " --config FILE"
      )
      return
    }
    try file.write(settings, io)
    io.show("wrote \(file.path); range reads it with --config \(file.path)")
  }
}
