// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// A named set of a program's conditions that are kept after the program ends, each with its last event.
///
/// A condition is satisfied as soon as one of its beacons is received. A program's monitors and managers share its
/// authorization and the number of regions that it may monitor.
///
/// Only one monitor with a given name can be open at a time. The name stays open for as long as the monitor or an
/// iterator of its events is kept. If the name is already open, Apple ends the program; here the second monitor prints
/// a note, monitors nothing and has no events.
public final actor CLMonitor {
  /// The monitor's name.
  public let name: String
  /// The events of the conditions.
  ///
  /// Events that an earlier run left unhandled come first.
  ///
  /// An event counts as handled when the program asks for the next one. Until then ``record(for:)`` holds the event
  /// before it.
  public let events: Events

  private let service: LocationService
  /// `nil` if another monitor has the name.
  private let hold: OpenName?
  /// `nil` if another monitor has the name, or the client could not be opened.
  private var monitor: BeaconMonitor?
  /// The conditions, also those that are not watched: of another kind, or too many.
  private var conditions: [String: any CLCondition] = [:]
  /// The assumed states of the conditions that were added here.
  private var assumed: [String: Event] = [:]

  /// Opens a monitor; conditions that an earlier run added are monitored again.
  public init(_ name: String) async {
    await self.init(name, of: .ofProcess)
  }

  package init(_ name: String, of service: LocationService) async {
    self.name = name
    self.service = service
    hold = OpenName.open(name, of: service)
    events = Events(of: service, named: name, hold)
    guard hold != nil else {
      service.note("a monitor named '\(name)' is open; another of that name watches nothing")
      return
    }
    monitor = await service.opening.value
    await service.requestQueue.settled()
    for region in await monitor?.conditions ?? [] {
      guard let identifier = ConditionName.name(of: region.identifier, in: name) else { continue }
      conditions[identifier] = BeaconIdentityCondition(region.constraint)
    }
  }

  /// Monitors a condition, replacing one with the same identifier.
  public func add(_ condition: any CLCondition, identifier: String) {
    add(condition, identifier: identifier, assumed: nil)
  }

  /// Monitors a condition with an assumed state: if the first determination differs, it is an event.
  public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
    add(condition, identifier: identifier, assumed: state)
  }

  private func add(_ condition: any CLCondition, identifier: String, assumed: Event.State?) {
    guard hold != nil else { return }
    let name = ConditionName.region(identifier, in: name)
    let before = conditions.updateValue(condition, forKey: identifier) as? BeaconIdentityCondition
    if before != condition as? BeaconIdentityCondition { monitor?.forget(name) }
    self.assumed[identifier] = assumed.map {
      Event(identifier: identifier, date: Date(service.now), state: $0)
    }
    guard let condition = condition as? BeaconIdentityCondition else {
      return service.requestQueue.send { monitor in
        await monitor.remove(name)
        await monitor.refuse(name)
      }
    }
    service.requestQueue.send { monitor in
      await monitor.add(condition.constraint, identifier: name, assuming: assumed?.region)
    }
  }

  /// Stops monitoring a condition and removes its record.
  public func remove(_ identifier: String) {
    guard hold != nil else { return }
    (conditions[identifier], assumed[identifier]) = (nil, nil)
    let name = ConditionName.region(identifier, in: name)
    monitor?.forget(name)
    service.requestQueue.send { await $0.remove(name) }
  }

  /// The identifiers of the conditions, in order.
  public var identifiers: [String] { conditions.keys.sorted() }

  /// Returns a condition with its last handled event; `nil` if there is no such condition.
  public func record(for identifier: String) -> Record? {
    guard let condition = conditions[identifier] else { return nil }
    let last = monitor?.lastEvent(of: ConditionName.region(identifier, in: name))
    return Record(
      condition: condition,
      lastEvent: last.map { Event($0, identifier) } ?? assumed[identifier]
        ?? Event(identifier: identifier, date: Date(service.now), state: .unknown)
    )
  }
}
