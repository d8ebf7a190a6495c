// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a program declares about itself, in manifest files, scenarios, recordings and a service's records.
///
/// ```json5
/// {
///   whenInUse: "To name what is in front of you.",
///   alwaysAndWhenInUse: "To greet you when you return.",
///   purposes: { ExhibitGuide: "To name the painting in front of you." },
///   backgroundLocation: true,
/// }
/// ```
extension Manifest: FormedObject {
  package static var blank: Manifest { Manifest() }

  package mutating func form(_ form: inout Form) {
    form("whenInUse", &whenInUse)
    form("alwaysAndWhenInUse", &alwaysAndWhenInUse)
    var texts = purposes.map { (key: $0.key, value: $0.text) }
    form.entries("purposes", &texts)
    purposes = texts.map { Purpose(key: $0.key, text: $0.value) }
    form.optional("defaultAccuracyReduced", &defaultAccuracyReduced)
    form.optional("backgroundLocation", &backgroundLocation)
    form.optional("appClip", &appClip)
    form.optional("explicitServiceSession", &explicitServiceSession)
  }
}

/// What a user granted, in a recording's `state` line and in a store's file.
///
/// A held event does not belong to it: it is in the state, which may be lost.
extension SavedAuthorization: FormedObject {
  package static var blank: SavedAuthorization { SavedAuthorization() }

  package mutating func form(_ form: inout Form) {
    form("authorization", &grant)
    form.nullable("until", &until)
    form("accuracy", &accuracy)
    form("always_spent", &alwaysSpent)
    form("confirmation_due", &confirmationDue)
    form("services", &servicesOn)
    form("restricted", &isRestricted)
  }
}

extension HeldEvent: FormedObject {
  package static var blank: HeldEvent { HeldEvent(id: 0, time: .earliest) }

  package mutating func form(_ form: inout Form) {
    var (id, time) = (id, time)
    form("id", &id)
    form("time", &time)
    self = HeldEvent(id: id, time: time)
  }
}

/// A client as a service restores it: its grants, its regions and its held events.
extension SavedClient: FormedObject {
  package static var blank: SavedClient { SavedClient() }

  package mutating func form(_ form: inout Form) {
    authorization.form(&form)
    form.optional("regions", &regions)
    form("held", &authorization.held)
    form("heldEvents", &heldEvents)
  }
}

extension ServiceSession: FormedObject {
  package static var blank: ServiceSession { ServiceSession(id: 0, goal: .none) }

  package mutating func form(_ form: inout Form) {
    var (id, goal, purpose, isImplicit) = (id, goal, fullAccuracyPurposeKey, isImplicit)
    form("number", &id)
    form("goal", &goal)
    form.nullable("purpose", &purpose)
    form.optional("implicit", &isImplicit)
    self = ServiceSession(
      id: id,
      goal: goal,
      fullAccuracyPurposeKey: purpose,
      isImplicit: isImplicit
    )
  }
}
