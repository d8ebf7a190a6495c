// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `calibrate`: the measured power of a beacon, and the law by which its signal falls off, from measured distances.
package struct CalibrateCommand {
  private let options: CalibrateOptions
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    options = try CalibrateOptions(arguments)
    self.io = io
  }

  /// Listens from every place, tells what it came to, and writes it where the user wants it.
  package func run() throws -> ExitCode {
    let places = try options.captures.isEmpty ? live() : options.captures.indices.map(replayed)
    guard let places else { return Interruption.exitCode ?? .interrupted }
    let result = CalibrationResult(options.beacon, places)
    let isTable = options.run.output.format.map { $0 == .table } ?? io.output.isTerminal
    try io.output.write(isTable ? result.table : result.json)
    guard result.isUsable else {
      io.say("nothing was written: \(unusable(result))")
      return .negativeVerdict
    }
    try write(result)
    return .done
  }

  /// What a person should do about a result that is of no use.
  private func unusable(_ result: CalibrationResult) -> String {
    if let complaint = result.complaint { return complaint }
    for place in result.places where !place.session.verdict.isUsable {
      let meters = CalibrationResult.tenth(place.session.meters)
      guard place.session.count > 0 else {
        return "\(options.beacon) was not heard at \(meters) m; 'beaconctl scan' tells what is"
      }
      return "at \(meters) m, \(place.session.verdict)"
    }
    return "there was nothing to hear"
  }

  // MARK: Captures

  /// Hears the captures of a place to their end.
  private func replayed(_ index: Int) throws -> CalibrationResult.Place {
    let captures = try Captures(options.captures[index])
    let setup = EngineSetup(options.run, .sightings)
    var hearing: CalibrationHearing?
    var run = EngineRun(captures) { io.isInterrupted() }
    do {
      _ = try run.run {
        let configuration = setup.configuration(receivers: captures.receiverNames)
        hearing = CalibrationHearing(
          at: options.places[index],
          calibration: configuration.ranging.calibration
        )
        return configuration
      } prepare: {
        setup.prepare(&$0)
      } deliver: {
        hearing?.add($0)
      }
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
    captures.remarks.forEach(io.say)
    return place(hearing, at: options.places[index], receivers: captures.receiverNames)
  }

  private func place(
    _ hearing: CalibrationHearing?,
    at meters: Double,
    receivers: [String]
  ) -> CalibrationResult.Place {
    let best = hearing?.best
    if let hearing, hearing.receivers > 1 {
      io.say("\(hearing.receivers) receivers heard it; the one that heard most counts")
    }
    let name = best.flatMap {
      receivers.indices.contains($0.receiver) ? receivers[$0.receiver] : nil
    }
    return CalibrationResult.Place(
      session: best?.session ?? CalibrationSession(at: meters),
      announcedPower: hearing?.announcedPower,
      receiver: name ?? ""
    )
  }

  // MARK: Live

  /// Listens from each place in turn; `nil` where the user stopped it.
  private func live() throws -> [CalibrationResult.Place]? {
    var places: [CalibrationResult.Place] = []
    var guide = try CalibrationGuide(options, io: io)
    for (index, meters) in options.places.enumerated() {
      guard try guide.isReady(for: index) else { return nil }
      let listening = LiveCalibration(options, at: meters, io: io)
      let (hearing, receivers) = try listening.run()
      if io.isInterrupted() { return nil }
      places.append(place(hearing, at: meters, receivers: receivers))
      let verdict = places[index].session.verdict
      io.say("\(CalibrationResult.tenth(meters)) m: \(verdict)")
      // What follows cannot make up for it.
      if !verdict.isUsable { break }
    }
    return places
  }

  // MARK: The file

  /// Puts the result into the configuration file, or shows what to put there.
  private func write(_ result: CalibrationResult) throws {
    guard let path = options.file else {
      io.say("--write FILE puts it into a configuration file, which range takes with --config FILE")
      return
    }
    do {
      var bytes = try existing(path)
      for (keys, number) in result.settings {
        bytes = try JSON5Edit.set(number, at: keys, in: bytes)
      }
      try WholeFile.replace(path, with: bytes)
    } catch let faults as JSON5Faults {
      throw CommandFailure(.badConfiguration, faults.faults.map { "\(path):\($0)" })
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
    io.say("wrote \(path); range takes it with --config \(path)")
  }

  private func existing(_ path: String) throws(SystemError) -> [UInt8] {
    do throws(SystemError) {
      return try WholeFile.read(path)
    } catch {
      if error.isNoSuchFile { return [] }
      throw error
    }
  }
}

extension CalibrationHearing {
  /// Takes the sightings among what was told.
  mutating func add(_ deliveries: [Delivery]) {
    for case .sighting(let sighting) in deliveries.lazy.map(\.event) { add(sighting) }
  }
}
