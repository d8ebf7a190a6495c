// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let libraries: [Target] = [
  // The core rounds to whole numbers; without Foundation nobody else links the C library's `floor`.
  .target(name: "BeaconCore", linkerSettings: [.linkedLibrary("m")]),
  .target(name: "BeaconFormats", dependencies: ["BeaconCore"]),
  .target(name: "Beacons", dependencies: ["BeaconCore", "BeaconFormats"]),
  .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
  .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
  .target(name: "DBus", dependencies: ["CDBus"]),
  .target(name: "BeaconBlueZ", dependencies: ["BeaconCore", "Beacons", "DBus", "CBluetooth"]),
  .systemLibrary(
    name: "CMicroHTTPD",
    pkgConfig: "libmicrohttpd",
    providers: [.apt(["libmicrohttpd-dev"])]
  ),
  .target(name: "WebServer", dependencies: ["CMicroHTTPD"]),
  .target(name: "BeaconTesting", dependencies: ["BeaconCore", "BeaconFormats", "Beacons"]),
  .target(
    name: "BeaconCommands",
    dependencies: ["BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconTesting"]
  ),
]

let executables: [Target] = [
  .executableTarget(name: "beaconctl", dependencies: ["BeaconCommands"])
]

let tests: [Target] = [
  .target(
    name: "BeaconTestSupport",
    dependencies: ["BeaconCore"],
    path: "Tests/BeaconTestSupport"
  ),
  .testTarget(name: "BeaconCoreTests", dependencies: ["BeaconCore", "BeaconTestSupport"]),
  .testTarget(
    name: "BeaconFormatsTests",
    dependencies: ["BeaconCore", "BeaconFormats", "BeaconTestSupport"]
  ),
  .target(name: "DBusTestSupport", dependencies: ["DBus"], path: "Tests/DBusTestSupport"),
  .testTarget(name: "DBusTests", dependencies: ["DBus", "DBusTestSupport", "BeaconTestSupport"]),
  .testTarget(
    name: "BeaconBlueZTests",
    dependencies: [
      "BeaconCore", "Beacons", "BeaconBlueZ", "DBus", "DBusTestSupport", "BeaconTestSupport",
    ]
  ),
  .testTarget(name: "WebServerTests", dependencies: ["WebServer", "BeaconTestSupport"]),
  .testTarget(
    name: "BeaconsTests",
    dependencies: ["BeaconCore", "Beacons", "BeaconTesting", "BeaconTestSupport"]
  ),
  .testTarget(
    name: "BeaconTestingTests",
    dependencies: ["BeaconCore", "BeaconFormats", "BeaconTesting", "BeaconTestSupport"]
  ),
  .testTarget(
    name: "BeaconCommandsTests",
    dependencies: [
      "BeaconCore", "BeaconFormats", "Beacons", "BeaconCommands", "BeaconTesting",
      "BeaconTestSupport",
    ]
  ),
  .testTarget(
    name: "EndToEndTests",
    dependencies: ["beaconctl", "BeaconCore", "BeaconFormats", "Beacons", "BeaconTestSupport"]
  ),
  .target(
    name: "FuzzSurfaces",
    dependencies: ["BeaconCore", "BeaconFormats", "BeaconBlueZ", "BeaconCommands"],
    path: "Tests/FuzzSurfaces"
  ),
  .testTarget(name: "FuzzCorpusTests", dependencies: ["FuzzSurfaces", "BeaconTestSupport"]),
]

// Only `tools/fuzz` builds the fuzzer, with flags that would break every other executable.
let fuzzers: [Target] =
  Context.environment["BEACON_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "FuzzBeacons",
      dependencies: ["FuzzSurfaces"],
      path: "Tests/FuzzBeacons"
    )
  ]

// Only `tools/bench accuracy` builds the trial of the filters.
let benches: [Target] =
  Context.environment["BEACON_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "AccuracyBench",
      dependencies: ["BeaconCore", "BeaconFormats", "Beacons", "BeaconTestSupport"],
      path: "tools/bench.d/accuracy"
    )
  ]

let package = Package(
  name: "swift-beacons",
  products: [
    .library(name: "Beacons", targets: ["Beacons"]),
    .library(name: "BeaconTesting", targets: ["BeaconTesting"]),
    .library(name: "BeaconCore", targets: ["BeaconCore"]),
    .library(name: "BeaconFormats", targets: ["BeaconFormats"]),
    .library(name: "BeaconBlueZ", targets: ["BeaconBlueZ"]),
    .executable(name: "beaconctl", targets: ["beaconctl"]),
  ],
  targets: libraries + executables + tests + fuzzers + benches,
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .treatAllWarnings(as: .error),
    ]
  if target.type != .test { target.swiftSettings?.append(.strictMemorySafety()) }
}
