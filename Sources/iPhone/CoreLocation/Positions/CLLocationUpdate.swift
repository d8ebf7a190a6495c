// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// An update of the position.
///
/// Each is without a location, and has the program's authorization.
public struct CLLocationUpdate: Sendable {
  /// What updates are for; without effect here.
  public enum LiveConfiguration: Int, Sendable, CaseIterable {
    /// The default.
    case `default` = 0
    /// Driving.
    case automotiveNavigation = 1
    /// Another vehicle.
    case otherNavigation = 2
    /// Walking or cycling.
    case fitness = 3
    /// Flying.
    case airborne = 4
  }

  /// Always `nil`.
  public var location: CLLocation? { nil }
  /// Always false.
  public var isStationary: Bool { false }
  /// Always false.
  public var stationary: Bool { false }
  /// Always true: nothing here measures a position.
  public var locationUnavailable: Bool { true }
  /// Accuracy is reduced.
  public let accuracyLimited: Bool
  /// The user has refused, or location services are off.
  public let authorizationDenied: Bool
  /// Location services are off for every program.
  public let authorizationDeniedGlobally: Bool
  /// A restriction forbids it.
  public let authorizationRestricted: Bool
  /// A prompt is shown.
  public let authorizationRequestInProgress: Bool
  /// The program is not in use.
  public let insufficientlyInUse: Bool
  /// The manifest demands an explicit session that the program does not have.
  public let serviceSessionRequired: Bool

  init(_ diagnostic: CLServiceSession.Diagnostic) {
    accuracyLimited = diagnostic.found.contains(.accuracyLimited)
    authorizationDenied = diagnostic.authorizationDenied
    authorizationDeniedGlobally = diagnostic.authorizationDeniedGlobally
    authorizationRestricted = diagnostic.authorizationRestricted
    authorizationRequestInProgress = diagnostic.authorizationRequestInProgress
    insufficientlyInUse = diagnostic.insufficientlyInUse
    serviceSessionRequired = diagnostic.serviceSessionRequired
  }

  /// Returns updates without a position: one, and another at each change of the program's authorization.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates(.ofProcess)
  }

  package static func liveUpdates(of service: LocationService) -> Updates { Updates(service) }

  /// A sequence of updates.
  public struct Updates: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = CLLocationUpdate
    /// Nothing here fails; Apple's may.
    public typealias Failure = any Error

    private let service: LocationService

    init(_ service: LocationService) {
      self.service = service
    }

    /// Returns an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(service) }

    /// Returns updates one by one.
    public struct Iterator: AsyncIteratorProtocol {
      /// An update.
      public typealias Element = CLLocationUpdate
      /// Nothing here fails; Apple's may.
      public typealias Failure = any Error

      /// Asks for authorization while this iterates, as Apple's implicit session does.
      private let implicit: CLServiceSession
      private var diagnostics: CLServiceSession.Diagnostics.Iterator?

      init(_ service: LocationService) {
        implicit = CLServiceSession(implicitIn: service)
        diagnostics = implicit.diagnostics.makeAsyncIterator()
      }

      /// Returns an update without a position; after the end of the source it waits, and returns `nil` when the task is
      /// cancelled.
      ///
      /// Nothing is thrown here; Apple's may throw.
      public mutating func next() async throws -> CLLocationUpdate? {
        if let diagnostic = try await diagnostics?.next() { return CLLocationUpdate(diagnostic) }
        diagnostics = nil
        guard !Task.isCancelled else { return nil }
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        return nil
      }
    }
  }
}

/// The domain of ``CLLocationPushServiceError`` as an `NSError`.
public let CLLocationPushServiceErrorDomain = "CLLocationPushServiceErrorDomain"

/// A failed request for pushes that ask for the position.
public struct CLLocationPushServiceError: CustomNSError, Hashable, Sendable {
  /// The error numbers.
  public enum Code: Int, Sendable {
    /// Another reason.
    case unknown = 0
    /// The program has no extension for pushes: the result of a request here.
    case missingPushExtension = 1
    /// The program has no push server.
    case missingPushServerEnvironment = 2
    /// The program lacks the entitlement.
    case missingEntitlement = 3
    /// The platform has no pushes.
    case unsupportedPlatform = 4
  }

  /// The number.
  public let code: Code

  /// Creates an error.
  public init(_ code: Code) {
    self.code = code
  }

  /// The domain.
  public static var errorDomain: String { CLLocationPushServiceErrorDomain }

  /// The error number, as `NSError` reports it.
  public var errorCode: Int { code.rawValue }
}

/// Receives pushes that ask for the position; never called here.
public protocol CLLocationPushServiceExtension: NSObjectProtocol {
  /// A push came.
  func didReceiveLocationPushPayload(
    _ payload: [String: Any],
    completion: @escaping () -> Void
  )

  /// The extension ends.
  func serviceExtensionWillTerminate()
}

extension CLLocationPushServiceExtension {
  /// Does nothing.
  public func serviceExtensionWillTerminate() {}
}
