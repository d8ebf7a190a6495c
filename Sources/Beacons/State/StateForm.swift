// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import FoundationEssentials

// The form of a state file: what the core says, in plain values that JSON can hold. Times are microseconds since 1970
// UTC, spans microseconds; optional values are left out.

extension StateFile {
  /// What every version of a file says.
  struct Version: Codable {
    var version: Int
  }

  /// The whole file.
  struct Form: Codable {
    var version: Int
    var authorization: AuthorizationForm
    var regions: [SavedRegionForm]
    var heldEvents: [HeldEventForm]?
    var handled: [MonitorEventForm]
    var unhandled: [MonitorEventForm]

    init(_ contents: Contents) {
      version = StateFile.version
      authorization = AuthorizationForm(contents.client.authorization)
      regions = contents.client.regions.map(SavedRegionForm.init)
      heldEvents = contents.client.heldEvents?.compactMap(HeldEventForm.init)
      handled = contents.handled.map(MonitorEventForm.init)
      unhandled = contents.unhandled.map(MonitorEventForm.init)
    }

    var contents: Contents {
      get throws(Damage) {
        var contents = Contents()
        contents.client.authorization = try authorization.value
        contents.client.regions = try all(regions) { form throws(Damage) in try form.value }
        if let heldEvents {
          contents.client.heldEvents = try all(heldEvents) { form throws(Damage) in
            try form.value
          }
        }
        contents.handled = try all(handled) { form throws(Damage) in try form.value }
        contents.unhandled = try all(unhandled) { form throws(Damage) in try form.value }
        return contents
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

  /// Returns the case of a name.
  static func named<Choice: RawRepresentable<String>>(
    _ name: String,
    _ type: Choice.Type = Choice.self
  ) throws(Damage) -> Choice {
    guard let choice = Choice(rawValue: name) else {
      throw Damage(description: "'\(name.prefix(64))' is no \(type)")
    }
    return choice
  }

  /// Returns the region state of a name.
  static func state(_ name: String) throws(Damage) -> RegionState {
    guard let state = RegionState.allCases.first(where: { $0.description == name }) else {
      throw Damage(description: "'\(name.prefix(64))' is no region state")
    }
    return state
  }

  /// Returns the constraint that a text says.
  static func constraint(_ text: String) throws(Damage) -> IdentityConstraint {
    do {
      return try IdentityConstraint(parsing: text)
    } catch {
      throw Damage(description: "\(error)")
    }
  }

  /// Returns the identity that a text says.
  static func identity(_ text: String) throws(Damage) -> BeaconIdentity {
    guard case .minor(let identity) = try constraint(text) else {
      throw Damage(description: "'\(text.prefix(64))' is not UUID/MAJOR/MINOR")
    }
    return identity
  }

  /// A client's grants.
  struct AuthorizationForm: Codable {
    struct Held: Codable {
      var id: UInt64
      var time: Int64
    }

    var grant: String
    var until: Int64?
    var alwaysSpent: Bool
    var held: Held?
    var confirmationDue: Bool
    var accuracy: String
    var servicesOn: Bool
    var restricted: Bool

    init(_ saved: SavedAuthorization) {
      grant = saved.grant.rawValue
      until = saved.until?.microseconds
      alwaysSpent = saved.alwaysSpent
      held = saved.held.map { Held(id: $0.id, time: $0.time.microseconds) }
      confirmationDue = saved.confirmationDue
      accuracy = saved.accuracy == .full ? "full" : "reduced"
      servicesOn = saved.servicesOn
      restricted = saved.isRestricted
    }

    var value: SavedAuthorization {
      get throws(Damage) {
        guard ["full", "reduced"].contains(accuracy) else {
          throw Damage(description: "'\(accuracy.prefix(64))' is no accuracy")
        }
        return SavedAuthorization(
          grant: try named(grant),
          until: until.map(Timestamp.init(microseconds:)),
          alwaysSpent: alwaysSpent,
          held: held.map { HeldEvent(id: $0.id, time: Timestamp(microseconds: $0.time)) },
          confirmationDue: confirmationDue,
          accuracy: accuracy == "full" ? .full : .reduced,
          servicesOn: servicesOn,
          isRestricted: restricted
        )
      }
    }
  }
}
