// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Keeps a program in use in the background for as long as this object exists.
///
/// It is the continuous session that ``CLLocationManager/startUpdatingLocation()`` starts too. It needs `location`
/// among the `UIBackgroundModes`, and must start in the foreground. While it runs it asks for authorization.
public final class CLBackgroundActivitySession: NSObject, Sendable {
  private let service: LocationService
  private let isOver = Mutex(false)
  /// Asks for authorization, as Apple's implicit session does.
  private let implicit: CLServiceSession

  /// Starts a session.
  public override convenience init() {
    self.init(.ofProcess)
  }

  package init(_ service: LocationService) {
    self.service = service
    implicit = CLServiceSession(implicitIn: service)
    super.init()
    service.keepsBackgroundSession(true)
  }

  deinit { invalidate() }

  /// The obstacles to keeping the program in use, delivered again at each change.
  public var diagnostics: Diagnostics { Diagnostics(implicit.diagnostics) }

  /// Ends the session.
  public func invalidate() {
    let ends = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    if ends {
      service.keepsBackgroundSession(false)
      implicit.invalidate()
    }
  }
}

extension CLBackgroundActivitySession {
  /// The obstacles to keeping the program in use.
  public struct Diagnostic: Sendable {
    private let base: CLServiceSession.Diagnostic

    init(_ base: CLServiceSession.Diagnostic) {
      self.base = base
    }

    /// The user has refused, or location services are off.
    public var authorizationDenied: Bool { base.authorizationDenied }
    /// Location services are off for every program.
    public var authorizationDeniedGlobally: Bool { base.authorizationDeniedGlobally }
    /// A prompt is shown.
    public var authorizationRequestInProgress: Bool { base.authorizationRequestInProgress }
    /// A restriction forbids it.
    public var authorizationRestricted: Bool { base.authorizationRestricted }
    /// The program is not in use: a session must start in the foreground.
    public var insufficientlyInUse: Bool { base.insufficientlyInUse }
    /// The manifest demands an explicit session that the program does not have.
    public var serviceSessionRequired: Bool { base.serviceSessionRequired }
  }

  /// A session's diagnostics, delivered again at each change.
  public struct Diagnostics: AsyncSequence, Sendable {
    /// The session's obstacles.
    public typealias Element = Diagnostic
    /// Nothing here fails; Apple's may.
    public typealias Failure = any Error

    private let base: CLServiceSession.Diagnostics

    init(_ base: CLServiceSession.Diagnostics) {
      self.base = base
    }

    /// Returns an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator()) }

    /// Returns diagnostics one by one.
    public struct Iterator: AsyncIteratorProtocol {
      /// Nothing here fails; Apple's may.
      public typealias Failure = any Error

      private var base: CLServiceSession.Diagnostics.Iterator

      init(_ base: CLServiceSession.Diagnostics.Iterator) {
        self.base = base
      }

      /// Returns the next diagnostic; `nil` when the source has ended or the task was cancelled.
      ///
      /// Nothing is thrown here; Apple's may throw.
      public mutating func next() async throws -> Diagnostic? {
        try await base.next().map { Diagnostic($0) }
      }
    }
  }
}
