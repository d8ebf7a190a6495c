// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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

/// The form of a state file: the core's values as plain values that JSON can hold.
///
/// Times are in microseconds since 1970 UTC, time spans in microseconds; optional values are left out.
enum StateForm {
  typealias Damage = StoreFile.Damage

  /// Returns a file's value, with the unknown keys of the file that it replaces.
  static func encode(
    _ state: ClientState,
    keeping old: JSON5Value? = nil
  ) throws -> JSON5Value {
    let new = try JSON5ValueEncoder.encode(Form(state))
    return old.map { shape.merging(new, keeping: $0) } ?? new
  }

  /// Returns what a client is restored from, without its grants, as the value of a state file.
  static func encode(_ saved: SavedClient) throws -> JSON5Value {
    var state = ClientState()
    state.regions = saved.regions
    state.held = saved.authorization.held
    state.heldEvents = saved.heldEvents
    return try encode(state)
  }

  /// Reads a file's value.
  static func decode(_ value: JSON5Value) throws(Damage) -> ClientState {
    try JSON5ValueDecoder.decode(Form.self, from: value).state
  }

  /// The whole file.
  struct Form: Codable {
    var version: Int
    var regions: [SavedRegionForm]
    var held: HeldForm?
    var heldEvents: [HeldEventForm]?
    var handled: [MonitorEventForm]
    var unhandled: [MonitorEventForm]

    init(_ state: ClientState) {
      version = StoreFile.version
      regions =
        state.regions.map { SavedRegionForm($0) }
        + state.runRegions.map { SavedRegionForm($0, of: .run) }
      held = state.held.map { HeldForm(id: $0.id, time: $0.time.microseconds) }
      heldEvents = state.heldEvents?.compactMap(HeldEventForm.init)
      handled = state.handled.map(MonitorEventForm.init)
      unhandled = state.unhandled.map(MonitorEventForm.init)
    }

    var state: ClientState {
      get throws(Damage) {
        var state = ClientState()
        for form in regions {
          let region = try form.value
          switch form.owner {
          case nil, .program: state.regions.append(region)
          case .run: state.runRegions.append(region)
          }
        }
        state.held = held.map {
          HeldEvent(id: $0.id, time: Timestamp(microseconds: $0.time))
        }
        if let heldEvents {
          state.heldEvents = try all(heldEvents) { form throws(Damage) in try form.value }
        }
        state.handled = try all(handled) { form throws(Damage) in try form.value }
        state.unhandled = try all(unhandled) { form throws(Damage) in try form.value }
        return state
      }
    }

    private func all<Form, Value>(
      _ forms: [Form],
      _ value: (Form) throws(Damage) -> Value
    ) throws(Damage) -> [Value] {
      var values: [Value] = []
      for form in forms { values.append(try value(form)) }
      return values
    }
  }

  /// The stored time and number of the event that is held back.
  struct HeldForm: Codable {
    var id: UInt64
    var time: Int64
  }

  /// Returns the case with a raw value.
  static func named<Choice: RawRepresentable<String>>(
    _ name: String,
    _ type: Choice.Type = Choice.self
  ) throws(Damage) -> Choice {
    guard let choice = Choice(rawValue: name) else {
      throw Damage(description: "'\(name.prefix(64))' is no \(type)")
    }
    return choice
  }

  /// Returns the region state with a name.
  static func state(_ name: String) throws(Damage) -> RegionState {
    guard let state = RegionState.allCases.first(where: { $0.description == name }) else {
      throw Damage(description: "'\(name.prefix(64))' is no region state")
    }
    return state
  }

  /// Returns the constraint that a text describes.
  static func constraint(_ text: String) throws(Damage) -> IdentityConstraint {
    do {
      return try IdentityConstraint(parsing: text)
    } catch {
      throw Damage(description: "\(error)")
    }
  }

  /// Returns the identity that a text describes.
  static func identity(_ text: String) throws(Damage) -> BeaconIdentity {
    guard case .minor(let identity) = try constraint(text) else {
      throw Damage(description: "'\(text.prefix(64))' is not UUID/MAJOR/MINOR")
    }
    return identity
  }

  // MARK: Known keys

  /// Every key that this version writes; a test compares it with what is written.
  static let shape = StoreShape.object([
    "version": .value, "regions": region,
    "held": .object(["id": .value, "time": .value]),
    "heldEvents": .list(heldEvent, identity: [["region"], ["entered"], ["state"], ["reason"]]),
    "handled": .list(monitorEvent, identity: [["condition"]]),
    "unhandled": .list(monitorEvent, identity: [["condition"], ["time"]]),
  ])

  private static let region = StoreShape.list(
    [
      "owner": .value,
      "region": .object([
        "identifier": .value, "constraint": .value, "notifyOnEntry": .value,
        "notifyOnExit": .value, "notifyEntryStateOnDisplay": .value,
        "zone": .object(["enterWithin": .value, "leaveBeyond": .value]),
        "enterPolicy": .object(["sightings": .value, "rssiFloor": .value, "window": .value]),
        "exit": .object(["fixed": .value]), "place": .value,
      ]),
      "state": .value, "lastKnown": .value, "savedAt": .value, "remaining": .value,
      "reports": .value,
      "holder": .object([
        "beacon": .value, "rssi": .value, "power": .value, "distance": .value,
        "interval": .value, "exitTime": .value, "rule": .value,
      ]),
      "habits": .object([
        "version": .value, "beacons": .list(intervals, identity: [["beacon"]]), "clock": clock,
      ]),
    ],
    identity: [["owner"], ["region", "identifier"]]
  )

  private static let clock = StoreShape.object([
    "present": .list(["beacon": .value, "remaining": .value], identity: [["beacon"]]),
    "packetsDue": .value, "common": .object(intervals),
  ])

  private static let period = StoreShape.object([
    "longest": .value, "presence": .value, "gaps": .value, "withLosses": .value, "slowest": .value,
  ])

  private static let intervals: [String: StoreShape] = [
    "beacon": .value, "beat": .value, "current": period, "previous": period, "first": .value,
    "exit": .value, "target": .value, "refreshAt": .value, "doubtUntil": .value,
    "beyondCap": .value, "shorter": .value, "longer": .value, "needsLongerCap": .value,
  ]

  private static let explanation = StoreShape.object([
    "beacon": .value, "reports": .value, "rssi": .value, "power": .value, "distance": .value,
    "interval": .value, "gap": .value, "silence": .value, "meters": .value, "count": .value,
    "wanted": .value, "rule": .value, "place": .value, "probability": .value,
  ])

  private static let heldEvent: [String: StoreShape] = [
    "region": .value, "entered": .value, "state": .value, "origin": .value, "reason": .value,
    "why": explanation,
  ]

  private static let monitorEvent: [String: StoreShape] = [
    "condition": .value, "time": .value, "state": .value, "origin": .value, "reason": .value,
    "refinement": .value, "why": explanation,
  ]
}

extension SavedClient {
  /// Creates what a client was restored from, as a service recorded it.
  ///
  /// - Throws: `StoreFile.Damage` where the recorded state is none.
  package init(_ beginning: RequestLine.Beginning) throws {
    self.init(authorization: beginning.grants)
    guard let value = beginning.state else { return }
    let state = try StateForm.decode(value)
    regions = state.regions
    authorization.held = state.held
    heldEvents = state.heldEvents
  }
}
