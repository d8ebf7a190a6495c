// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension CLMonitor {
  /// The events of a monitor's conditions.
  public struct Events: AsyncSequence, Sendable {
    /// An event of a condition.
    public typealias Element = Event
    /// Nothing here fails; Apple's may.
    public typealias Failure = any Error

    private let service: LocationService
    private let name: String
    private let hold: OpenName?

    init(of service: LocationService, named name: String, _ hold: OpenName?) {
      self.service = service
      self.name = name
      self.hold = hold
    }

    /// Returns an iterator, which handles the events.
    public func makeAsyncIterator() -> Iterator { Iterator(of: service, named: name, hold) }

    /// Returns events one by one.
    public struct Iterator: AsyncIteratorProtocol {
      /// Nothing here fails; Apple's may.
      public typealias Failure = any Error

      private let service: LocationService
      private let name: String
      private let hold: OpenName?
      private let count: ListenerCount?
      /// Asks for authorization while this iterates, as Apple's implicit session does.
      private let implicit: CLServiceSession?
      private var events: MonitorEvents.Iterator?

      init(of service: LocationService, named name: String, _ hold: OpenName?) {
        self.service = service
        self.name = name
        self.hold = hold
        count = hold.map { _ in ListenerCount(service) }
        implicit = hold.map { _ in CLServiceSession(implicitIn: service) }
      }

      /// Returns the next event; `nil` when the source has ended or the task was cancelled.
      ///
      /// Nothing is thrown here; Apple's may throw.
      public mutating func next() async throws -> Event? {
        guard hold != nil else { return nil }
        if events == nil {
          let name = name
          let all = await service.opening.value?.events {
            ConditionName.name(of: $0, in: name) != nil
          }
          events = all?.makeAsyncIterator()
        }
        await service.requestQueue.settled()
        service.begin()
        while let event = await events?.next() {
          // The end of the process is not an event of a condition.
          guard event.reason != .shutdown,
            let identifier = ConditionName.name(of: event.identifier, in: name)
          else { continue }
          guard event.reason == .authorization, let client = await service.opening.value?.client
          else { return Event(event, identifier) }
          return Event(
            event,
            identifier,
            snapshot: await client.snapshot,
            servicesOn: await client.saved.authorization.servicesOn
          )
        }
        return nil
      }
    }
  }
}
