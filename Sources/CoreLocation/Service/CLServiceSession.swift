// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Synchronization

/// A goal of a program for as long as it works on something: what it needs is asked for when it can be, and again after
/// a temporary grant lapsed.
public final class CLServiceSession: Sendable {
  /// The authorization that the work needs.
  public enum AuthorizationRequirement: Int, Sendable {
    /// Whatever there is.
    case none = 0
    /// While in use.
    case whenInUse = 1
    /// At any time.
    case always = 2
  }

  /// What stands in the way of the goal, anew at each change.
  public let diagnostics: Diagnostics

  private let handle: Handle

  /// The session itself, which ends when this is dropped.
  final class Handle: Sendable {
    private struct State {
      var session: ServiceSessionHandle?
      var isOver = false
    }

    private let state = Mutex(State())

    /// Begins, unless it is over already.
    func begin(_ session: ServiceSessionHandle) {
      state.withLock { if !$0.isOver { $0.session = session } }
    }

    var value: ServiceSessionHandle? { state.withLock { $0.session } }

    func end() -> ServiceSessionHandle? {
      state.withLock { state in
        state.isOver = true
        return state.session.take()
      }
    }
  }

  private let service: LocationService

  /// Begins a session.
  public convenience init(authorization: AuthorizationRequirement) {
    self.init(authorization, nil, of: .ofProcess)
  }

  /// Begins a session that needs full accuracy.
  ///
  /// - Parameters:
  ///   - authorization: The authorization that the work needs.
  ///   - fullAccuracyPurposeKey: The reason's key in `NSLocationTemporaryUsageDescriptionDictionary`.
  public convenience init(
    authorization: AuthorizationRequirement,
    fullAccuracyPurposeKey: String
  ) {
    self.init(authorization, fullAccuracyPurposeKey, of: .ofProcess)
  }

  package init(
    _ authorization: AuthorizationRequirement,
    _ purpose: String?,
    of service: LocationService
  ) {
    self.service = service
    let handle = Handle()
    self.handle = handle
    diagnostics = Diagnostics(of: service, handle)
    let goal: ServiceSession.Goal =
      switch authorization {
      case .none: .none
      case .whenInUse: .whenInUse
      case .always: .always
      }
    service.courier.send { [weak handle] monitor in
      let session = await monitor.client.serviceSession(goal, fullAccuracyPurposeKey: purpose)
      handle?.begin(session)
    }
  }

  deinit { invalidate() }

  /// Ends the session.
  public func invalidate() {
    let handle = handle
    service.courier.send { _ in await handle.end()?.invalidate() }
  }
}

extension CLServiceSession {
  /// What stands in the way of a session's goal.
  public struct Diagnostic: Sendable {
    private let found: Set<ServiceSession.Diagnostic>

    init(_ found: [ServiceSession.Diagnostic]) {
      self.found = Set(found)
    }

    /// Always was wanted, and the person keeps it at while using.
    public var alwaysAuthorizationDenied: Bool { found.contains(.alwaysAuthorizationDenied) }
    /// The person has refused, or location services are off.
    public var authorizationDenied: Bool {
      found.contains(.authorizationDenied) || found.contains(.authorizationDeniedGlobally)
    }
    /// Location services are off for everybody.
    public var authorizationDeniedGlobally: Bool { found.contains(.authorizationDeniedGlobally) }
    /// A prompt is showing.
    public var authorizationRequestInProgress: Bool {
      found.contains(.authorizationRequestInProgress)
    }
    /// Policy forbids it.
    public var authorizationRestricted: Bool { found.contains(.authorizationRestricted) }
    /// Full accuracy was asked for and not given.
    public var fullAccuracyDenied: Bool { found.contains(.fullAccuracyDenied) }
    /// The program is not enough in use to ask.
    public var insufficientlyInUse: Bool { found.contains(.insufficientlyInUse) }
  }

  /// A session's diagnostics, anew at each change.
  public struct Diagnostics: AsyncSequence, Sendable {
    /// What stands in the way.
    public typealias Element = Diagnostic
    /// Nothing here fails; Apple's may.
    public typealias Failure = any Error

    private let service: LocationService
    private let handle: Handle

    init(of service: LocationService, _ handle: Handle) {
      self.service = service
      self.handle = handle
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(of: service, handle) }

    /// Takes diagnostics one by one.
    public struct Iterator: AsyncIteratorProtocol {
      /// Nothing here fails; Apple's may.
      public typealias Failure = any Error

      private let service: LocationService
      private let count: ListenerCount
      private let handle: Handle
      private var diagnostics: ClientSequence<[ServiceSession.Diagnostic]>.Iterator?

      init(of service: LocationService, _ handle: Handle) {
        self.service = service
        count = ListenerCount(service)
        self.handle = handle
      }

      /// Returns the next; `nil` when the source has ended or the task was cancelled.
      public mutating func next() async throws -> Diagnostic? {
        await service.courier.settled()
        if diagnostics == nil { diagnostics = handle.value?.diagnostics.makeAsyncIterator() }
        service.begin()
        return await diagnostics?.next().map { Diagnostic($0) }
      }
    }
  }
}
