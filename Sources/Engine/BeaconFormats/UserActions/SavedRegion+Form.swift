// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

// Regions with their states, as files of states and recordings of a service have them.

extension SavedRegion: FormedObject {
  package static var blank: SavedRegion {
    SavedRegion(.blank, state: .unknown, savedAt: .earliest)
  }

  package mutating func form(_ form: inout Form) {
    region.form(&form)
    form("state", &state)
    form("lastKnown", &lastKnown)
    form("savedAt", &savedAt)
    form("remaining", &remaining)
    form("holder", &holder)
    form("reports", &reports)
    var listened = determined > .zero ? determined : nil
    form("determined", &listened)
    determined = listened ?? .zero
    var receivers = receivedBy.isEmpty ? nil : receivedBy
    form("receivedBy", &receivers)
    receivedBy = receivers?.map(\.exactName) ?? []
    var rests = silences == Rests() ? nil : silences
    form("silences", &rests)
    silences = rests ?? Rests()
    // Another version may have stored the statistics in another form, so they are read only if the version is known.
    form.object("intervals", if: !intervals.isEmpty || clock != nil) { form in
      var version = SavedIntervals.version
      form("version", &version)
      guard version == SavedIntervals.version else { return }
      form("beacons", &intervals)
      form("clock", &clock)
    }
  }

  package var formIdentity: String? { region.identifier.rawValue }
}

extension RegionHolder: FormedObject {
  package static var blank: RegionHolder {
    RegionHolder(identity: .blank, exitTime: .zero, rule: .fixedExit, due: .latest)
  }

  package mutating func form(_ form: inout Form) {
    form("beacon", &identity)
    form("rssi", &rssi)
    form("power", &power)
    form("distance", &distance)
    form("interval", &interval)
    form("exitTime", &exitTime)
    form("rule", &rule)
  }
}

extension SavedIntervals: FormedObject {
  package static var blank: SavedIntervals { SavedIntervals(.blank) }

  package mutating func form(_ form: inout Form) {
    form("beacon", &identity)
    form("beat", &estimatedInterval)
    form("current", &current)
    form("previous", &previous)
    form("first", &first)
    form("exit", &exit)
    form("target", &target)
    form("refreshAt", &refreshAt)
    form("doubtUntil", &doubtUntil)
    form("beyondCap", &beyondCap)
    form.optional("rests", &rests)
    form("shorter", &shorter)
    form("longer", &longer)
    form("needsLongerCap", &needsLongerCap)
    if form.isReading, ArrivalIntervals(self) == nil {
      form.addFault("the arrival intervals of '\(identity)' are inconsistent")
    }
  }

  package var formIdentity: String? { identity.description }
}

extension Rests: FormedObject {
  package static var blank: Self { Self() }

  package mutating func form(_ form: inout Form) {
    form("usual", &usual)
    form("longest", &longest)
    form.optional("shortest", &shortest)
    form("score", &score)
    form("areEvident", &areEvident)
    form("presence", &presence)
  }
}

extension SavedIntervals.Period: FormedObject {
  package static var blank: Self { Self() }

  package mutating func form(_ form: inout Form) {
    form("longest", &longest)
    form("presence", &presence)
    form("gaps", &gaps)
    form("withLosses", &withLosses)
    form("slowest", &slowest)
  }
}

extension SavedExitClock: FormedObject {
  package static var blank: SavedExitClock {
    SavedExitClock(present: [], packetsDue: .zero, common: nil)
  }

  package mutating func form(_ form: inout Form) {
    form("present", &present)
    form("packetsDue", &packetsDue)
    form("common", &common)
  }
}

extension SavedExitClock.Presence: FormedObject {
  package static var blank: Self { Self(.blank, remaining: .zero) }

  package mutating func form(_ form: inout Form) {
    form("beacon", &identity)
    form("remaining", &remaining)
  }

  package var formIdentity: String? { identity.description }
}

extension BeaconIdentity {
  fileprivate static var blank: BeaconIdentity { BeaconIdentity(uuid: 0, major: 0, minor: 0) }
}
