// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
package import Beacons
package import SystemKit

/// A run's requests to its engine, whatever the source.
package struct EngineSetup {
  private let options: RunOptions
  private let kind: EventCSVWriter.Kind?

  /// Creates the setup from the user's options and the request; `nil` requests nothing.
  package init(_ options: RunOptions, _ kind: EventCSVWriter.Kind?) {
    self.options = options
    self.kind = kind
  }

  /// The configuration, with the knowledge of receivers put under the numbers they have.
  ///
  /// - Parameters:
  ///   - receivers: The receivers' names.
  ///   - utcOffset: How far local time is ahead of UTC, if the source states it.
  /// - Returns: The configuration.
  package func configuration(receivers: [String], utcOffset: TimeSpan? = nil) -> Configuration {
    var configuration = options.configuration
    configuration.authorization.utcOffset = utcOffset ?? configuration.authorization.utcOffset
    for (index, name) in receivers.enumerated() {
      guard let offset = options.receiverOffsets.first(where: { $0.name == name }) else { continue }
      // The file was read with the bounds of an offset, so it is within them.
      try? configuration.ranging.calibration.setOffset(
        offset.decibels,
        forReceiver: UInt8(clamping: index)
      )
    }
    return configuration
  }

  /// Connects the client and makes its first requests.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - grants: The grants of the client; `nil` if the operator asks.
  ///   - keeper: Keeps grants and regions' states between runs; `nil` keeps none.
  package func prepare(
    _ run: inout RunContext,
    _ grants: ClientGrants? = nil,
    keeper: StoreKeeper? = nil
  ) {
    guard let kind else { return }
    if kind == .sightings {
      run.driver?.watchSightings(satisfying: options.constraints)
      return
    }
    let connected = grants == nil ? run.driver?.connect() : grants?.connect(to: &run)
    guard let client = connected else { return }
    run.client = client
    ask(&run, grants)
    if let keeper {
      keeper.begin(client, &run)
    } else {
      for region in options.regions { run.engine.request(.monitor(region), by: client) }
    }
    // Everything nearby is the operator's view; a client names what it ranges.
    if kind == .ranging, options.constraints.isEmpty, grants == nil { run.driver?.watchNearby() }
    for constraint in options.constraints where kind == .ranging {
      run.engine.request(.range(constraint, whileInside: options.whileInside), by: client)
    }
  }

  /// Asks the user for what the client needs.
  package func ask(_ run: inout RunContext, _ grants: ClientGrants?) {
    grants?.ask(&run, monitoring: kind == .monitoring)
  }

  /// Where the recording that the user wants goes; `nil` if none is wanted.
  private var recordingPlace: RecordingFile.Place? {
    guard let output = options.recording else { return nil }
    let path = output.isStandardOutput ? "/dev/stdout" : output.path
    var place = RecordingFile.Place(
      path: path,
      format: RecordingWriter.Format(ending: path) ?? .lines,
      continues: options.isLive
    )
    place.waits = options.isUnhurried
    place.rotation = options.rotation
    place.kept = options.keptFiles
    place.mode = options.recordingMode
    place.synchronizeInterval = RecordingConfiguration(options.settings).synchronizeInterval
    return place
  }

  /// Checks every output of the run before its work.
  ///
  /// - Throws: `OutputRefusal` or `SystemError` for the first that could not be written.
  package func checkOutputs(_ io: CommandIO) throws {
    if options.output.format != OutputFormat.none { try io.files.announceStandardOutput() }
    try io.check(options.output.further.map(\.file), options.isUnhurried ? .whole : .setAside)
    if let state = options.stateDirectory {
      try io.files.announceFolder(state, makingParents: true, owning: ClientStore.keeps)
      let store = ClientStore(directory: state)
      let client = options.client?.name ?? RunClient.operatorName
      for path in [store.statePath(of: client), store.grantsPath(of: client)] {
        io.files.addKept(path)
      }
    }
    for folder in options.folders {
      try io.files.announceFolder(folder.path, makingParents: false, owning: folder.owns)
    }
    if let place = recordingPlace { try RecordingFile.check(place, opening: io.files) }
  }

  /// Starts the recording that the user wants; `nil` if none is wanted.
  package func recorder(
    receivers: [String],
    startingAt start: Timestamp,
    opening files: OutputFiles,
    utcOffset: TimeSpan? = nil,
    offsets: [String: Int] = [:],
    _ grants: ClientGrants? = nil
  ) throws -> Recorder? {
    guard let place = recordingPlace else { return nil }
    let file = RecordingFile(
      place,
      opening: files,
      header: CaptureHeader(
        tool: "beaconctl",
        version: Library.version,
        receivers: receivers,
        profile: options.configuration.profile.rawValue,
        offsets: offsets
      ),
      includesAddresses: options.output.showsAddresses
    )
    return try Recorder(
      file,
      startingAt: start,
      gap: options.configuration.timing.gap,
      zone: utcOffset,
      states: grants.map { [$0.stateLine] } ?? []
    )
  }

  /// What numbers are called in the run's output.
  package func names(
    receivers: [String],
    start: Timestamp,
    zone: LocalZone = .utc
  ) -> EventNames {
    var names = EventNames(
      clients: [options.client?.name ?? RunClient.operatorName],
      receivers: receivers,
      showsAddresses: options.output.showsAddresses,
      timeStyle: options.output.timeStyle,
      zone: zone,
      book: options.names,
      start: start
    )
    names.explains = options.output.explains
    return names
  }
}

extension Runner {
  /// A run of a command.
  ///
  /// - Parameters:
  ///   - source: Where the inputs come from.
  ///   - setup: How the engine works.
  ///   - participants: The participants, in order.
  ///   - isInterrupted: Asked before each batch whether to stop.
  package init(
    _ source: any ScanSource,
    _ setup: EngineSetup,
    participants: [any RunParticipant],
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    Interruption.begin()
    self.init(source, participants: participants, isInterrupted: isInterrupted) {
      setup.configuration(receivers: $0, utcOffset: $1)
    }
  }
}
