// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// A client's saved state without its grants: what changes while it runs, and may be lost.
package struct ClientState: Sendable, Equatable {
  /// The regions that the client's program monitors, in the order of their identifiers.
  package var regions: [SavedRegion] = []
  /// The event that a provisional grant holds back: its number and time, and its content.
  package var held: HeldEvent?
  package var heldEvents: [Event]?
  /// The last handled event of each of a monitor's conditions, in the order of their identifiers.
  package var handled: [MonitorEvent] = []
  /// A monitor's events that are not yet handled, in the order in which they were delivered.
  package var unhandled: [MonitorEvent] = []
  /// Regions that a command named for a run, with the states in which the run left them.
  package var runRegions: [SavedRegion] = []

  package init() {}

  /// The part of the state that stays if the client may know nothing of beacons: what it requested itself.
  ///
  /// Events that are not derived from a beacon stay, such as that a condition is no longer monitored.
  var limited: ClientState {
    func isHarmless(_ event: MonitorEvent) -> Bool {
      switch event.state {
      case .unknown, .unmonitored: event.refinement == nil && event.why == nil
      case .satisfied, .unsatisfied: false
      }
    }
    let never = Timestamp(microseconds: 0)
    var state = ClientState()
    state.regions = regions.map { SavedRegion($0.region, state: .unknown, savedAt: never) }
    state.handled = handled.filter(isHarmless)
    state.unhandled = unhandled.filter(isHarmless)
    return state
  }

  /// This state with all times of saving set to the same value, to compare states without them.
  var ignoringSavedTimes: ClientState {
    var state = self
    for index in state.regions.indices { state.regions[index].savedAt = .earliest }
    for index in state.runRegions.indices { state.runRegions[index].savedAt = .earliest }
    return state
  }

  /// The latest time at which a region was saved.
  var savedAt: Timestamp { (regions + runRegions).map(\.savedAt).max() ?? .earliest }
}

/// The form of a state file.
extension ClientState: FormedObject {
  package static var blank: ClientState { ClientState() }

  package mutating func form(_ form: inout Form) {
    StoreFile.version(&form)
    var owned =
      regions.map { OwnedRegion($0, of: nil) } + runRegions.map { OwnedRegion($0, of: .run) }
    form("regions", &owned)
    if form.isReading {
      regions = owned.filter { $0.owner != .run }.map(\.saved)
      runRegions = owned.filter { $0.owner == .run }.map(\.saved)
    }
    form("held", &held)
    form("heldEvents", &heldEvents)
    form("handled", &handled)
    form("unhandled", &unhandled)
  }
}

/// A saved region with its owner: a program never lists or removes a region of a command's run.
private struct OwnedRegion: FormedObject {
  enum Owner: String, CaseIterable, FormedName {
    case program, run
  }

  static var blank: OwnedRegion { OwnedRegion(.blank, of: nil) }

  /// Left out for a program's region.
  var owner: Owner?
  var saved: SavedRegion

  init(_ saved: SavedRegion, of owner: Owner?) {
    self.owner = owner
    self.saved = saved
  }

  mutating func form(_ form: inout Form) {
    form("owner", &owner)
    saved.form(&form)
  }

  var formIdentity: String? { "\(owner == .run ? "run" : "program") \(saved.region.identifier)" }
}

extension MonitorEvent: FormedObject {
  package static var blank: MonitorEvent {
    MonitorEvent(
      identifier: "",
      time: .earliest,
      state: .unknown,
      origin: .observed,
      reason: .received
    )
  }

  package mutating func form(_ form: inout Form) {
    form("condition", &identifier)
    form("time", &time)
    form("state", &state)
    form("origin", &origin)
    form("reason", &reason)
    form("refinement", &refinement)
    form("why", &why)
  }

  package var formIdentity: String? { "\(time.microseconds) \(identifier)" }
}

extension ConditionState: FormedName {}
