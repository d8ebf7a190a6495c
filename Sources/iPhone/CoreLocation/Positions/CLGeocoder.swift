// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Receives the places that a geocoder found.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Searches for places.
///
/// It finds none: every search ends with ``CLError/Code/network``, as on a phone without a network.
open class CLGeocoder: NSObject, @unchecked Sendable {
  // It stores nothing.

  /// Creates a geocoder.
  public override init() {}

  /// Whether a search is continuing: never.
  open var isGeocoding: Bool { false }

  /// Does nothing.
  open func cancelGeocode() {}

  private func fail(_ completionHandler: @escaping CLGeocodeCompletionHandler) {
    // The result comes on the main actor, after this function has returned, as Apple's does.
    let handler = Unshared(completionHandler)
    Task { @MainActor in handler.value(nil, CLError(.network)) }
  }

  /// Fails with ``CLError/Code/network``.
  open func reverseGeocodeLocation(
    _ location: CLLocation,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }

  /// Finds nothing.
  ///
  /// - Throws: ``CLError`` with ``CLError/Code/network``, always.
  open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  /// Fails with ``CLError/Code/network``.
  open func reverseGeocodeLocation(
    _ location: CLLocation,
    preferredLocale locale: Locale?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }

  /// Finds nothing.
  ///
  /// - Throws: ``CLError`` with ``CLError/Code/network``, always.
  open func reverseGeocodeLocation(
    _ location: CLLocation,
    preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] { throw CLError(.network) }

  /// Fails with ``CLError/Code/network``.
  open func geocodeAddressString(
    _ addressString: String,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }

  /// Finds nothing.
  ///
  /// - Throws: ``CLError`` with ``CLError/Code/network``, always.
  open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  /// Fails with ``CLError/Code/network``.
  open func geocodeAddressString(
    _ addressString: String,
    in region: CLRegion?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }

  /// Finds nothing.
  ///
  /// - Throws: ``CLError`` with ``CLError/Code/network``, always.
  open func geocodeAddressString(
    _ addressString: String,
    in region: CLRegion?
  ) async throws -> [CLPlacemark] { throw CLError(.network) }

  /// Fails with ``CLError/Code/network``.
  open func geocodeAddressString(
    _ addressString: String,
    in region: CLRegion?,
    preferredLocale locale: Locale?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }

  /// Finds nothing.
  ///
  /// - Throws: ``CLError`` with ``CLError/Code/network``, always.
  open func geocodeAddressString(
    _ addressString: String,
    in region: CLRegion?,
    preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] { throw CLError(.network) }
}

extension CLGeocoder {
  /// Fails with ``CLError/Code/network``.
  @available(*, deprecated, message: "use geocodePostalAddress, which needs Contacts")
  public func geocodeAddressDictionary(
    _ addressDictionary: [AnyHashable: Any],
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }

  /// Fails with ``CLError/Code/network``.
  public func geocodeAddressString(
    _ addressString: String,
    inRegionCenteredAt centroid: CLLocationCoordinate2D,
    inRegionRadius radius: CLLocationDistance,
    preferredLocale locale: Locale?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) { fail(completionHandler) }
}

/// A place.
///
/// ``CLGeocoder`` finds none, so every property is `nil`.
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // It stores nothing.

  /// Creates the same place.
  public init(placemark: CLPlacemark) {}

  /// Creates a place from an archive.
  public required init?(coder: NSCoder) {}

  /// Writes nothing.
  open func encode(with coder: NSCoder) {}

  /// Whether archives of places are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// `nil`.
  open var location: CLLocation? { nil }
  /// `nil`.
  open var region: CLRegion? { nil }
  /// `nil`.
  open var timeZone: TimeZone? { nil }
  /// `nil`.
  open var name: String? { nil }
  /// `nil`.
  open var thoroughfare: String? { nil }
  /// `nil`.
  open var subThoroughfare: String? { nil }
  /// `nil`.
  open var locality: String? { nil }
  /// `nil`.
  open var subLocality: String? { nil }
  /// `nil`.
  open var administrativeArea: String? { nil }
  /// `nil`.
  open var subAdministrativeArea: String? { nil }
  /// `nil`.
  open var postalCode: String? { nil }
  /// `nil`.
  open var isoCountryCode: String? { nil }
  /// `nil`.
  open var country: String? { nil }
  /// `nil`.
  open var inlandWater: String? { nil }
  /// `nil`.
  open var ocean: String? { nil }
  /// `nil`.
  open var areasOfInterest: [String]? { nil }
  /// `nil`.
  open var addressDictionary: [AnyHashable: Any]? { nil }

  /// Returns the place itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A value that is sent once and not used by its sender any more.
struct Unshared<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
