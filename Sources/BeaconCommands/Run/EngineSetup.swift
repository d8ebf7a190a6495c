// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
package import Beacons

/// What a run asks of its engine, whatever the source.
package struct EngineSetup {
  private let options: RunOptions
  private let kind: EventTableWriter.Kind?

  /// Takes what the user said, and what is asked for; `nil` asks for nothing.
  package init(_ options: RunOptions, _ kind: EventTableWriter.Kind?) {
    self.options = options
    self.kind = kind
  }

  /// The configuration, with what is known of receivers put under the numbers they have.
  ///
  /// - Parameters:
  ///   - receivers: The receivers' names.
  ///   - utcOffset: How far local time is ahead of UTC, where the source says so.
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
  ///   - driver: The engine's driver.
  ///   - grants: The grants of the client; `nil` where the operator asks.
  ///   - keeper: Who keeps the regions' states between runs; `nil` where nobody does.
  package func prepare(
    _ driver: inout EngineDriver,
    _ grants: ClientGrants? = nil,
    keeper: RegionKeeper? = nil
  ) {
    guard let kind else { return }
    if kind == .sightings {
      driver.watchSightings(satisfying: options.constraints)
      return
    }
    let client: ClientID
    if let grants {
      client = grants.connect(to: &driver, monitoring: kind == .monitoring)
    } else {
      client = driver.connect()
    }
    if let keeper {
      keeper.monitor(by: client, &driver)
    } else {
      for region in options.regions { driver.request(.monitor(region), by: client) }
    }
    for constraint in options.constraints where kind == .ranging {
      driver.request(.range(constraint, whileInside: options.whileInside), by: client)
    }
  }

  /// Begins the recording that the user wants; `nil` where none is wanted.
  package func recorder(
    receivers: [String],
    startingAt start: Timestamp,
    utcOffset: TimeSpan? = nil,
    _ grants: ClientGrants? = nil
  ) throws -> Recorder? {
    guard let path = options.recording else { return nil }
    let file = RecordingFile(
      path: path,
      format: RecordingWriter.Format(ending: path) ?? .lines,
      header: CaptureHeader(
        tool: "beaconctl",
        version: Library.version,
        receivers: receivers,
        profile: options.configuration.profile.rawValue
      ),
      includesAddresses: options.output.showsAddresses,
      rotation: options.rotation,
      keeping: options.keptFiles
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
  package func names(receivers: [String], start: Timestamp) -> EventNames {
    EventNames(
      clients: [options.client?.name ?? RunClient.operatorName],
      receivers: receivers,
      showsAddresses: options.output.showsAddresses,
      timeStyle: options.output.timeStyle,
      start: start
    )
  }
}
