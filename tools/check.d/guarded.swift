// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// A source of another package of the same build, which does not depend on this one: once CoreLocation has been compiled, it
// can import it. It is type-checked without the C modules that this package declares.
#if canImport(CoreLocation)
import CoreLocation

let place = CLLocation(latitude: 52.5206, longitude: 13.3975)
let distance: CLLocationDistance = place.distance(from: CLLocation(latitude: 48.8606, longitude: 2.3376))
let coordinate: CLLocationCoordinate2D = place.coordinate
#else
#error("CoreLocation has not been compiled")
#endif
