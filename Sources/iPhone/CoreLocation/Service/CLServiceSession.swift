// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Synchronization

/// Declares what authorization a program needs for as long as it works on something.
///
/// The session asks for it as soon as it can, and again after a temporary grant expires.
public final class CLServiceSession: Sendable {
  /// The authorization that the work needs.
  public enum AuthorizationRequirement: Int, Sendable {
    /// Any authorization, even none.
    case none = 0
    /// Authorization while the program is in use.
    case whenInUse = 1
    /// Authorization at any time.
    case always = 2
  }

  /// The obstacles to the goal, delivered again at each change.
  public let diagnostics: Diagnostics

  private let handle: Handle

  /// The session itself, which ends when this handle is released.
  final class Handle: Sendable {
    private struct State {
      var session: ServiceSessionHandle?
      var isOver = false
    }

    private let state = Mutex(State())

    /// Starts the session, unless it has already ended.
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

  /// Starts a session.
  public convenience init(authorization: AuthorizationRequirement) {
    self.init(authorization, nil, of: .ofProcess)
  }

  /// Starts a session that needs full accuracy.
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

  /// Starts the implicit session of an activity, such as iterating events; its goal is when-in-use.
  convenience init(implicitIn service: LocationService) {
    self.init(.whenInUse, nil, of: service, isImplicit: true)
  }

  package init(
    _ authorization: AuthorizationRequirement,
    _ purpose: String?,
    of service: LocationService,
    isImplicit: Bool = false
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
    service.requestQueue.send { [weak handle] monitor in
      let session = await monitor.client.serviceSession(goal, purpose, isImplicit: isImplicit)
      handle?.begin(session)
    }
  }

  deinit { invalidate() }

  /// Ends the session.
  public func invalidate() {
    let handle = handle
    service.requestQueue.send { _ in await handle.end()?.invalidate() }
  }
}

extension CLServiceSession {
  /// The obstacles to a session's goal.
  public struct Diagnostic: Sendable {
    let found: Set<ServiceSession.Diagnostic>

    init(_ found: [ServiceSession.Diagnostic]) {
      self.found = Set(found)
    }

    /// Authorization at any time was requested, and the user keeps it at while using.
    public var alwaysAuthorizationDenied: Bool { found.contains(.alwaysAuthorizationDenied) }
    /// The user has refused, or location services are off.
    public var authorizationDenied: Bool {
      found.contains(.authorizationDenied) || found.contains(.authorizationDeniedGlobally)
    }
    /// Location services are off for every program.
    public var authorizationDeniedGlobally: Bool { found.contains(.authorizationDeniedGlobally) }
    /// A prompt is shown.
    public var authorizationRequestInProgress: Bool {
      found.contains(.authorizationRequestInProgress)
    }
    /// A restriction forbids it.
    public var authorizationRestricted: Bool { found.contains(.authorizationRestricted) }
    /// Full accuracy was requested and not granted.
    public var fullAccuracyDenied: Bool { found.contains(.fullAccuracyDenied) }
    /// The program is not in use, so it cannot ask.
    public var insufficientlyInUse: Bool { found.contains(.insufficientlyInUse) }
    /// The manifest demands an explicit session that the program does not have.
    public var serviceSessionRequired: Bool { found.contains(.serviceSessionRequired) }
  }

  /// A session's diagnostics, delivered again at each change.
  public struct Diagnostics: AsyncSequence, Sendable {
    /// The obstacles to the goal.
    public typealias Element = Diagnostic
    /// Nothing here fails; Apple's may.
    public typealias Failure = any Error

    private let service: LocationService
    private let handle: Handle

    init(of service: LocationService, _ handle: Handle) {
      self.service = service
      self.handle = handle
    }

    /// Returns an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(of: service, handle) }

    /// Returns diagnostics one by one.
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

      /// Returns the next diagnostic; `nil` when the source has ended or the task was cancelled.
      ///
      /// Nothing is thrown here; Apple's may throw.
      public mutating func next() async throws -> Diagnostic? {
        await service.requestQueue.settled()
        if diagnostics == nil { diagnostics = handle.value?.diagnostics.makeAsyncIterator() }
        service.begin()
        return await diagnostics?.next().map { Diagnostic($0) }
      }
    }
  }
}
