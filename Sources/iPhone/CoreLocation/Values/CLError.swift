// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The domain of ``CLError`` as an `NSError`.
public let kCLErrorDomain = "kCLErrorDomain"

/// The key of ``CLError/alternateRegion`` in an error's user info.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// A failed request, with Core Location's error number.
public struct CLError: CustomNSError, Hashable, @unchecked Sendable {
  // The user info is never changed, and its values are those of an `NSError`, which can be sent.

  /// The error numbers; those that concern neither beacons nor regions never occur here.
  public enum Code: Int, Sendable {
    /// The location is not known, but may be later.
    case locationUnknown = 0
    /// The user denied access to location or ranging.
    case denied = 1
    /// The network failed.
    case network = 2
    /// The heading could not be found.
    case headingFailure = 3
    /// The user denied region monitoring.
    case regionMonitoringDenied = 4
    /// A region cannot be monitored, for instance because there are too many.
    case regionMonitoringFailure = 5
    /// Monitoring could not start immediately.
    case regionMonitoringSetupDelayed = 6
    /// Events of a region come later than they should.
    case regionMonitoringResponseDelayed = 7
    /// No place was found.
    case geocodeFoundNoResult = 8
    /// A part of a place was found.
    case geocodeFoundPartialResult = 9
    /// The search for a place was cancelled.
    case geocodeCanceled = 10
    /// Deferred updates failed.
    case deferredFailed = 11
    /// Deferred updates were requested without updating locations.
    case deferredNotUpdatingLocation = 12
    /// The accuracy is too low for deferred updates.
    case deferredAccuracyTooLow = 13
    /// A distance filter forbids deferred updates.
    case deferredDistanceFiltered = 14
    /// Deferred updates were cancelled.
    case deferredCanceled = 15
    /// Ranging is unavailable: Bluetooth or location services are off.
    case rangingUnavailable = 16
    /// Ranging failed for another reason.
    case rangingFailure = 17
    /// The prompt for temporary full accuracy could not be shown.
    case promptDeclined = 18
    /// Locations recorded earlier are not available.
    case historicalLocationError = 19
  }

  /// The number.
  public let code: Code

  /// Details of the failure besides its number.
  public let userInfo: [String: Any]

  /// Creates an error.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    (self.code, self.userInfo) = (code, userInfo)
  }

  /// Creates the error of an `NSError`; a number that Core Location does not have becomes `locationUnknown`.
  public init(_nsError error: NSError) {
    self.init(Code(rawValue: error.code) ?? .locationUnknown, userInfo: error.userInfo)
  }

  /// The error as an `NSError`.
  public var _nsError: NSError {
    NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
  }

  /// Another region that can be monitored: only if the user info has one.
  public var alternateRegion: CLRegion? {
    userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion
  }

  /// Errors with the same number are equal.
  public static func == (first: CLError, second: CLError) -> Bool { first.code == second.code }

  /// Equal errors have equal hashes.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Core Location's domain.
  public static var errorDomain: String { kCLErrorDomain }

  /// The error number, as `NSError` reports it.
  public var errorCode: Int { code.rawValue }

  /// The user info of the `NSError`.
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: description]) { given, _ in given }
  }

  /// The error in a sentence.
  public var localizedDescription: String { description }
}

extension CLError: CustomStringConvertible {
  /// The error in a sentence.
  public var description: String {
    if let given = userInfo[NSLocalizedDescriptionKey] as? String { return given }
    return switch code {
    case .locationUnknown: "the location is unknown"
    case .network: "the network is unavailable"
    case .denied: "access to location or ranging was denied"
    case .regionMonitoringDenied: "region monitoring was denied"
    case .regionMonitoringFailure: "the region cannot be monitored"
    case .rangingUnavailable: "ranging is unavailable: Bluetooth or location services are off"
    case .rangingFailure: "ranging failed"
    case .promptDeclined: "the prompt for full accuracy could not be shown"
    default: "\(kCLErrorDomain) \(code.rawValue)"
    }
  }
}

// When Swift imports an error enum of Apple's, its cases become members of the error and can be matched in `catch`.
// These members do the same.
extension CLError {
  /// ``Code/locationUnknown``.
  public static var locationUnknown: Code { .locationUnknown }
  /// ``Code/denied``.
  public static var denied: Code { .denied }
  /// ``Code/network``.
  public static var network: Code { .network }
  /// ``Code/headingFailure``.
  public static var headingFailure: Code { .headingFailure }
  /// ``Code/regionMonitoringDenied``.
  public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
  /// ``Code/regionMonitoringFailure``.
  public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
  /// ``Code/regionMonitoringSetupDelayed``.
  public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
  /// ``Code/regionMonitoringResponseDelayed``.
  public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
  /// ``Code/geocodeFoundNoResult``.
  public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
  /// ``Code/geocodeFoundPartialResult``.
  public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
  /// ``Code/geocodeCanceled``.
  public static var geocodeCanceled: Code { .geocodeCanceled }
  /// ``Code/deferredFailed``.
  public static var deferredFailed: Code { .deferredFailed }
  /// ``Code/deferredNotUpdatingLocation``.
  public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
  /// ``Code/deferredAccuracyTooLow``.
  public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
  /// ``Code/deferredDistanceFiltered``.
  public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
  /// ``Code/deferredCanceled``.
  public static var deferredCanceled: Code { .deferredCanceled }
  /// ``Code/historicalLocationError``.
  public static var historicalLocationError: Code { .historicalLocationError }
  /// ``Code/rangingUnavailable``.
  public static var rangingUnavailable: Code { .rangingUnavailable }
  /// ``Code/rangingFailure``.
  public static var rangingFailure: Code { .rangingFailure }
  /// ``Code/promptDeclined``.
  public static var promptDeclined: Code { .promptDeclined }
}

extension CLError.Code {
  /// Returns whether an error is a ``CLError`` with a code, for `catch`.
  public static func ~= (code: CLError.Code, error: any Error) -> Bool {
    (error as? CLError)?.code == code
  }
}
