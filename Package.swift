// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let libraries: [Target] = [
  // The core rounds to whole numbers; without Foundation nobody else links the C library's `floor`.
  .target(name: "BeaconCore", linkerSettings: [.linkedLibrary("m")]),
  .target(name: "BeaconFormats", dependencies: ["BeaconCore"]),
  .target(name: "Beacons", dependencies: ["BeaconCore", "BeaconFormats"]),
  .target(name: "BeaconTesting", dependencies: ["BeaconCore", "BeaconFormats"]),
  .target(
    name: "BeaconCommands",
    dependencies: ["BeaconCore", "BeaconFormats", "Beacons", "BeaconTesting"]
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
  .testTarget(name: "EndToEndTests", dependencies: ["beaconctl", "BeaconTestSupport"]),
  .target(
    name: "FuzzSurfaces",
    dependencies: ["BeaconCore", "BeaconFormats", "BeaconCommands"],
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

let package = Package(
  name: "swift-beacons",
  products: [
    .library(name: "Beacons", targets: ["Beacons"]),
    .library(name: "BeaconCore", targets: ["BeaconCore"]),
    .library(name: "BeaconFormats", targets: ["BeaconFormats"]),
    .library(name: "BeaconTesting", targets: ["BeaconTesting"]),
    .executable(name: "beaconctl", targets: ["beaconctl"]),
  ],
  targets: libraries + executables + tests + fuzzers,
  swiftLanguageModes: [.v6]
)

for target in package.targets {
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
