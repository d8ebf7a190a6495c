#!/usr/bin/env bash
# Builds a program with two packages, each from nothing with one job and with two: this one, and one that knows nothing of it
# and asks `canImport(CoreLocation)`. The answer depends on which module is compiled first; both must compile and link.
#
#   tools/check.d/can-import.sh    ten minutes; not a step of tools/check
source "$(dirname "$0")/../common.sh"

place=$root/.build-can-import
rm -rf "$place"
mkdir -p "$place"/{app/Sources/App,guarded/Sources/Guarded}
cat >"$place/guarded/Sources/Guarded/Guarded.swift" <<'SWIFT'
#if canImport(CoreLocation)
  import CoreLocation
  public typealias Coordinate = CLLocationCoordinate2D
  public let guardedBy = "CoreLocation"
  public func shift(_ place: Coordinate, by offset: CLLocationDegrees) -> CLLocation {
    CLLocation(latitude: place.latitude + offset, longitude: place.longitude)
  }
#else
  public struct Coordinate { public var latitude, longitude: Double }
  public let guardedBy = "nothing"
#endif
public func middle(_ one: Coordinate, _ other: Coordinate) -> Double { (one.latitude + other.latitude) / 2 }
SWIFT
cat >"$place/guarded/Package.swift" <<'SWIFT'
// swift-tools-version: 6.0
import PackageDescription
let package = Package(
  name: "guarded", products: [.library(name: "Guarded", targets: ["Guarded"])], targets: [.target(name: "Guarded")])
SWIFT
cat >"$place/app/Package.swift" <<SWIFT
// swift-tools-version: 6.0
import PackageDescription
let package = Package(
  name: "app", dependencies: [.package(name: "swift-beacons", path: "$root"), .package(path: "../guarded")],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [.product(name: "CoreLocation", package: "swift-beacons"), .product(name: "Guarded", package: "guarded")])
  ])
SWIFT
cat >"$place/app/Sources/App/main.swift" <<'SWIFT'
import CoreLocation
import Guarded
print("guarded by \(guardedBy), ranging available: \(CLLocationManager.isRangingAvailable())")
SWIFT
for jobs in 1 2; do
  swift build --package-path "$place/app" --scratch-path "$place/jobs-$jobs" --disable-sandbox -j "$jobs" </dev/null >&2
  said=$("$place/jobs-$jobs/debug/App")
  say "ok: -j $jobs: $said"
done
