// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// Conditions of a program that outlive it: opened by name, with the last event of each.
///
/// A condition is met as soon as one of its beacons is heard. A program's monitors and managers share its authorization
/// and the number of regions it may watch.
///
/// A name is open once at a time, for as long as its monitor or one who takes its events is kept. Where Apple ends the
/// program, a monitor opened by a name that is open says so, watches nothing and has no events.
public final actor CLMonitor {
  /// The monitor's name.
  public let name: String
  /// What becomes of the conditions; what an earlier run left unhandled comes first.
  ///
  /// An event counts as handled when the next is asked for: until then ``record(for:)`` holds the one before it.
  public let events: Events

  private let service: LocationService
  /// `nil` where another monitor has the name.
  private let hold: OpenName?

  /// Opens a monitor; what an earlier run added is watched on.
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

  /// Watches a condition; one of the same identifier is replaced.
  public func add(_ condition: any CLCondition, identifier: String) async {
    await add(condition, identifier: identifier, assumed: nil)
  }

  /// Watches a condition that is taken to stand as given: the first finding that differs is an event.
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
    await ask { [name = region(identifier)] monitor in
      await monitor.add(condition.constraint, identifier: name, assuming: assumed?.region)
    }
  }

  /// Ceases to watch a condition, and forgets its record.
  public func remove(_ identifier: String) async {
    guard hold != nil else { return }
    await ask { [name = region(identifier)] monitor in await monitor.remove(name) }
  }

  /// The conditions' names, in their order.
  public var identifiers: [String] {
    get async {
      guard hold != nil else { return [] }
      await service.courier.settled()
      let all = await service.opening.value?.identifiers ?? []
      return all.compactMap { Self.identifier($0, of: name) }
    }
  }

  /// A condition with the last of its events that was handled; `nil` where there is no such condition.
  public func record(for identifier: String) async -> Record? {
    guard hold != nil else { return nil }
    await service.courier.settled()
    guard let record = await service.opening.value?.record(for: region(identifier)) else {
      return nil
    }
    let condition = BeaconIdentityCondition(record.region.constraint)
    return Record(
      condition: condition,
      lastEvent: record.lastEvent.map { Event($0, identifier) }
        ?? Event(identifier: identifier, date: Date(service.now), state: .unknown)
    )
  }

  /// Has something asked in its turn, and waits until it is.
  private func ask(_ deferred: @escaping RequestQueue.DeferredRequest) async {
    service.courier.send(deferred)
    await service.courier.settled()
  }

  // MARK: Names

  // A program's regions and conditions are regions of one client. A control character keeps a condition's name apart
  // from any that a person would give to a region.
  private static let separator = "\u{1F}"

  private func region(_ identifier: String) -> RegionIdentifier {
    RegionIdentifier(name + Self.separator + identifier)
  }

  /// Whether a region is a monitor's condition.
  static func isCondition(_ region: RegionIdentifier) -> Bool {
    region.rawValue.contains(separator)
  }

  /// The condition's name in a monitor; `nil` where it is none of its conditions.
  static func identifier(_ region: RegionIdentifier, of name: String) -> String? {
    let prefix = name + separator
    guard region.rawValue.hasPrefix(prefix) else { return nil }
    return String(region.rawValue.dropFirst(prefix.count))
  }
}
