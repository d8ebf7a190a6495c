// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension StateForm {
  /// The stored form of a region.
  struct RegionForm: Codable {
    struct Policy: Codable {
      var sightings: Int
      var rssiFloor: Int8?
      var window: Int64
    }

    struct Exit: Codable {
      /// The time of a fixed exit timing; without it the timing is learned.
      var fixed: Int64?
    }

    struct Distances: Codable {
      var enterWithin: Double
      var leaveBeyond: Double
    }

    var identifier: String
    var constraint: String
    var notifyOnEntry: Bool
    var notifyOnExit: Bool
    var notifyEntryStateOnDisplay: Bool
    var zone: Distances?
    /// Left out if the configuration's policy applies.
    var enterPolicy: Policy?
    var exit: Exit?
    /// The name of the place in which a beacon has to be; left out if there is none.
    var place: String?

    init(_ region: Region) {
      place = region.place
      identifier = region.identifier.rawValue
      constraint = region.constraint.description
      notifyOnEntry = region.notifyOnEntry
      notifyOnExit = region.notifyOnExit
      notifyEntryStateOnDisplay = region.notifyEntryStateOnDisplay
      zone = region.zone.map {
        Distances(enterWithin: $0.enterWithin, leaveBeyond: $0.leaveBeyond)
      }
      enterPolicy = region.enterPolicy.map {
        Policy(
          sightings: $0.sightings,
          rssiFloor: $0.rssiFloor,
          window: $0.window.microseconds
        )
      }
      switch region.exitTiming {
      case .fixed(let time): exit = Exit(fixed: time.microseconds)
      case .learned: exit = Exit()
      case nil: exit = nil
      }
    }

    var value: Region {
      get throws(Damage) {
        var distances: Zone?
        if let zone {
          do {
            distances = try Zone(enterWithin: zone.enterWithin, leaveBeyond: zone.leaveBeyond)
          } catch {
            throw Damage(description: "\(error)")
          }
        }
        return Region(
          RegionIdentifier(identifier),
          try StateForm.constraint(constraint),
          notifyOnEntry: notifyOnEntry,
          notifyOnExit: notifyOnExit,
          notifyEntryStateOnDisplay: notifyEntryStateOnDisplay,
          zone: distances,
          enterPolicy: enterPolicy.map {
            EnterPolicy(
              sightings: $0.sightings,
              rssiFloor: $0.rssiFloor,
              window: TimeSpan(microseconds: $0.window)
            )
          },
          exitTiming: exit.map { exit in
            exit.fixed.map { .fixed(TimeSpan(microseconds: $0)) } ?? .learned
          },
          place: place
        )
      }
    }
  }

  /// The stored form of the beacon that keeps a region inside.
  struct HolderForm: Codable {
    var beacon: String
    var rssi: Int8?
    var power: Int8?
    var distance: Double?
    var interval: Int64?
    var exitTime: Int64
    var rule: String

    init(_ holder: RegionHolder) {
      beacon = holder.identity.description
      rssi = holder.rssi
      power = holder.power
      // JSON has no infinity, and an infinite distance says nothing.
      distance = holder.distance.flatMap { $0.isFinite ? $0 : nil }
      interval = holder.interval?.microseconds
      exitTime = holder.exitTime.microseconds
      rule = holder.rule.rawValue
    }

    var value: RegionHolder {
      get throws(Damage) {
        RegionHolder(
          identity: try identity(beacon),
          rssi: rssi,
          power: power,
          distance: distance,
          interval: interval.map(TimeSpan.init(microseconds:)),
          exitTime: TimeSpan(microseconds: exitTime),
          rule: try named(rule),
          due: .latest
        )
      }
    }
  }

  /// The stored form of a region with its state.
  struct SavedRegionForm: Codable {
    /// Whose a region is: a program never lists or removes one of a command's run.
    enum Owner: String, Codable { case program, run }

    /// Left out for a program's region.
    var owner: Owner?
    var region: RegionForm
    var state: String
    var lastKnown: String?
    var savedAt: Int64
    var remaining: Int64?
    var holder: HolderForm?
    var reports: Int
    /// Left out if nothing was learned.
    var habits: IntervalsForm?

    init(_ saved: SavedRegion, of owner: Owner? = nil) {
      self.owner = owner
      region = RegionForm(saved.region)
      state = saved.state.description
      lastKnown = saved.lastKnown?.description
      savedAt = saved.savedAt.microseconds
      remaining = saved.remaining?.microseconds
      holder = saved.holder.map(HolderForm.init)
      reports = saved.reports
      habits = IntervalsForm(saved)
    }

    var value: SavedRegion {
      get throws(Damage) {
        SavedRegion(
          try region.value,
          state: try StateForm.state(state),
          lastKnown: try lastKnown.map(StateForm.state),
          savedAt: Timestamp(microseconds: savedAt),
          remaining: remaining.map(TimeSpan.init(microseconds:)),
          holder: try holder?.value,
          reports: reports,
          intervals: try habits?.value ?? [],
          clock: try habits?.clockValue
        )
      }
    }
  }
}
