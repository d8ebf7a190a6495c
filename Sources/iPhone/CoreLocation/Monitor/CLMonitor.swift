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

  /// Opens a monitor; conditions that an earlier run added are monitored again.
  public init(_ name: String) async {
    await self.init(name, of: .ofProcess)
  }

  package init(_ name: String, of service: LocationService) async {
    self.name = name
    self.service = service
    hold = OpenName.open(name, of: service)
    events = Events(of: service, named: name, hold)
    if hold == nil {
      service.note("a monitor named '\(name)' is open; another of that name watches nothing")
    }
    _ = await service.opening.value
  }

  /// Monitors a condition, replacing one with the same identifier.
  public func add(_ condition: any CLCondition, identifier: String) async {
    await add(condition, identifier: identifier, assumed: nil)
  }

  /// Monitors a condition with an assumed state: if the first determination differs, it is an event.
  public func add(
    _ condition: any CLCondition,
    identifier: String,
    assuming state: Event.State
  ) async {
    await add(condition, identifier: identifier, assumed: state)
  }

  private func add(
    _ condition: any CLCondition,
    identifier: String,
    assumed: Event.State?
  ) async {
    guard hold != nil else { return }
    guard let condition = condition as? BeaconIdentityCondition else {
      return service.note("CLMonitor watches beacons alone; '\(identifier)' is not watched")
    }
    await ask { [name = ConditionName.region(identifier, in: name)] monitor in
      await monitor.add(condition.constraint, identifier: name, assuming: assumed?.region)
    }
  }

  /// Stops monitoring a condition and removes its record.
  public func remove(_ identifier: String) async {
    guard hold != nil else { return }
    await ask { [name = ConditionName.region(identifier, in: name)] monitor in
      await monitor.remove(name)
    }
  }

  /// The identifiers of the conditions, in order.
  public var identifiers: [String] {
    get async {
      guard hold != nil else { return [] }
      await service.requestQueue.settled()
      let all = await service.opening.value?.identifiers ?? []
      return all.compactMap { ConditionName.name(of: $0, in: name) }
    }
  }

  /// Returns a condition with its last handled event; `nil` if there is no such condition.
  public func record(for identifier: String) async -> Record? {
    guard hold != nil else { return nil }
    await service.requestQueue.settled()
    guard
      let record = await service.opening.value?.record(
        for: ConditionName.region(identifier, in: name)
      )
    else {
      return nil
    }
    let condition = BeaconIdentityCondition(record.region.constraint)
    return Record(
      condition: condition,
      lastEvent: record.lastEvent.map { Event($0, identifier) }
        ?? Event(identifier: identifier, date: Date(service.now), state: .unknown)
    )
  }

  /// Sends a request in order and waits until it has been made.
  private func ask(_ deferred: @escaping RequestQueue.DeferredRequest) async {
    service.requestQueue.send(deferred)
    await service.requestQueue.settled()
  }
}
