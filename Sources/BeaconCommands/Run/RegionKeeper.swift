// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

/// Keeps the states of a run's regions for the next run, and takes up what the last one kept.
///
/// A live run does so by itself, as monitored regions outlive a program (row G3). A replay does it where it is asked
/// to, in a directory of its own; else what it tells would depend on what was run before.
package final class RegionKeeper: RunParticipant {
  private let regions: [Region]
  private let client: String
  private let states: RegionStates
  private let age: TimeSpan
  private let restores: Bool
  private let isLive: Bool
  private let say: (String) -> Void
  private var id: ClientID?
  private var known: [SavedRegion]?
  private var nextTime = Timestamp.earliest
  private var hasFailed = false

  /// A minute of what a crash can lose: some thousandths of the age up to which a state is restored, and a write of a
  /// few kilobytes that a memory card does not notice.
  private static let interval = TimeSpan.seconds(60)

  /// Takes what the user said of a run.
  ///
  /// - Returns: `nil` where there is nothing to keep: no region, or a replay that was not asked to.
  package init?(_ options: RunOptions, isLive: Bool, io: CommandIO, say: @escaping (String) -> Void)
  {
    guard !options.regions.isEmpty, isLive || options.stateDirectory != nil else { return nil }
    regions = options.regions
    client = options.client?.name ?? RunClient.operatorName
    let store =
      options.stateDirectory.map { StateStore(directory: $0) }
      ?? StateStore(environment: io.environment)
    states = RegionStates(store)
    age = options.configuration.regions.restoredStateAge
    // A recording holds all that its run knew, and does not hold what was known before.
    restores = options.recording == nil
    self.isLive = isLive
    self.say = say
  }

  /// Monitors the regions for the run's client, from what the last run kept where it did.
  package func monitor(
    by id: ClientID,
    _ driver: inout EngineDriver
  ) {
    self.id = id
    nextTime = driver.now + Self.interval
    for region in regions {
      if let saved = saved(region) {
        driver.resume(saved, by: id)
      } else {
        driver.request(.monitor(region), by: id)
      }
    }
  }

  private func saved(_ region: Region) -> SavedRegion? {
    guard restores else { return nil }
    if known == nil {
      var notes: [ClientDiagnostic] = []
      known = states.regions(of: client, notes: &notes)
      tell(notes)
    }
    // One that has changed since is another region.
    return known?.first { $0.region == region }
  }

  // A replay may deliver thousands of events a second and can be run again, so it keeps states at its end alone.

  package func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) {
    if isLive, deliveries.contains(where: Self.changesStates) { keep(driver) }
  }

  package func settled(_ driver: borrowing EngineDriver) {
    if isLive, driver.now >= nextTime { keep(driver) }
  }

  package func sourceEnded(_ driver: borrowing EngineDriver) { keep(driver) }

  /// Whether an event says that what is kept is no longer so, or no longer to be kept.
  private static func changesStates(_ delivery: Delivery) -> Bool {
    switch delivery.event {
    case .regionEntered, .regionExited, .authorization: true
    case .regionState(_, _, let origin, _): origin == .observed
    default: false
    }
  }

  private func keep(_ driver: borrowing EngineDriver) {
    guard let id else { return }
    nextTime = driver.now + Self.interval
    let saved = driver.saved(id)
    // What is kept may be read by whoever reads the grants: nothing of a client that may not know when it is next asked.
    let grants = saved.authorization
    let mayKnow =
      grants.accuracy == .full && grants.servicesOn && !grants.isRestricted
      && grants.grant != .notDetermined && grants.grant != .denied
    var notes: [ClientDiagnostic] = []
    do {
      try states.keep(
        mayKnow ? saved.regions : [],
        ofThose: Set(regions.map(\.identifier)),
        of: client,
        at: driver.now,
        for: age,
        notes: &notes
      )
    } catch {
      // Said once: a directory that cannot be written stays so.
      if !hasFailed { notes.append(.persistenceUnavailable(reason: "\(error)")) }
      hasFailed = true
    }
    tell(notes)
  }

  private func tell(_ notes: [ClientDiagnostic]) {
    for note in notes { say(ClientNote.text(of: note, client, "regions' states")) }
  }
}
