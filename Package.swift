// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// A room of the project: a folder of Sources and of Tests.
///
/// A module uses modules of its own room and of those above it.
func room(_ name: String, _ modules: [Target], tests: [Target] = []) -> [Target] {
  for module in modules { module.path = "Sources/\(name)/\(module.name)" }
  for test in tests { test.path = "Tests/\(name)/\(test.name)" }
  return modules + tests
}

// The C libraries: a map of the module and a header, nothing else.
let system = room(
  "System",
  [
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    // The kernel's declarations, and no library.
    .systemLibrary(name: "CBluetooth"),
    // Without pkg-config's words, which would link them: they are loaded when a history is opened, a broker is used, or a proxy
    // is encrypted.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
  ]
)

// Writes the texts of a module that are not Swift, such as scripts and phrases, as Swift while the package is built.
let embedding: [Target] = [
  .executableTarget(name: "EmbedTextTool", path: "Plugins/EmbedTextTool"),
  .plugin(name: "EmbedText", capability: .buildTool(), dependencies: ["EmbedTextTool"]),
]

// Pure: bytes and values in, values out.
let engine = room(
  "Engine",
  [
    // The core rounds to whole numbers; without Foundation nothing else links the C library's `floor`.
    .target(name: "BeaconCore", linkerSettings: [.linkedLibrary("m")]),
    .target(name: "BeaconFormats", dependencies: ["BeaconCore"]),
    .target(name: "BeaconScenarios", dependencies: ["BeaconCore", "BeaconFormats"]),
  ],
  tests: [
    .testTarget(name: "BeaconCoreTests", dependencies: ["BeaconCore", "BeaconTestSupport"]),
    .testTarget(
      name: "BeaconFormatsTests",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconTestSupport", "FuzzSurfaces"]
    ),
    .testTarget(
      name: "BeaconScenariosTests",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconScenarios", "BeaconTestSupport"]
    ),
  ]
)

// What a program links.
let library = room(
  "Library",
  [
    .target(name: "SystemKit"),
    .target(name: "Beacons", dependencies: ["BeaconCore", "BeaconFormats", "SystemKit"]),
    .target(name: "DBus", dependencies: ["SystemKit", "CDBus"]),
    .target(
      name: "BeaconBlueZ",
      dependencies: ["BeaconCore", "BeaconFormats", "Beacons", "DBus", "SystemKit", "CBluetooth"]
    ),
    .target(
      name: "BeaconTesting",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons"]
    ),
  ],
  tests: [
    .testTarget(name: "SystemKitTests", dependencies: ["SystemKit"]),
    .testTarget(
      name: "BeaconsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons", "BeaconTesting", "SystemKit",
        "BeaconTestSupport",
      ]
    ),
    .testTarget(
      name: "DBusTests",
      dependencies: ["DBus", "DBusTestSupport", "BeaconTestSupport", "SystemKit"]
    ),
    .testTarget(
      name: "BeaconBlueZTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommands", "DBus",
        "DBusTestSupport",
        "DoctorCommands", "BeaconTestSupport", "SystemKit",
      ]
    ),
  ]
)

// The command, and what other rooms add commands and pages to.
let command = room(
  "Command",
  [
    .target(name: "BeaconCommandLine"),
    .target(name: "BeaconTerminal", dependencies: ["SystemKit"]),
    .target(name: "WebServer", dependencies: ["SystemKit"]),
    // Markup, styles and scripts of the pages of all rooms.
    .target(name: "Pages", plugins: ["EmbedText"]),
    .target(
      name: "BeaconViews",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconTerminal", "Pages"]
    ),
    // The picture of a signal, for a command and for pages.
    .target(name: "BeaconPlots", dependencies: ["BeaconCore", "BeaconFormats", "Pages"]),
    .target(
      name: "BeaconCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons", "BeaconBlueZ",
        "BeaconCommandLine", "BeaconPlots", "BeaconTerminal", "BeaconViews", "SystemKit",
        "WebServer",
      ]
    ),
    .target(
      name: "CalibrateCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine",
        "BeaconCommands", "SystemKit",
      ]
    ),
    .target(
      name: "DoctorCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine",
        "BeaconCommands", "BeaconTerminal", "SystemKit",
      ]
    ),
  ],
  tests: [
    .testTarget(
      name: "BeaconCommandLineTests",
      dependencies: ["BeaconCommandLine", "BeaconTestSupport"]
    ),
    .testTarget(
      name: "BeaconTerminalTests",
      dependencies: ["BeaconTerminal", "BeaconTestSupport"]
    ),
    .testTarget(
      name: "WebServerTests",
      dependencies: ["SystemKit", "WebServer", "BeaconTestSupport"]
    ),
    .testTarget(name: "PagesTests", dependencies: ["EmbedTextTool", "Pages"]),
    .testTarget(
      name: "BeaconPlotsTests",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconPlots", "BeaconTestSupport"]
    ),
    .testTarget(
      name: "BeaconViewsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconCommands", "BeaconTerminal", "BeaconViews",
        "Beacons", "BeaconTestSupport", "CommandTestSupport",
      ]
    ),
    .testTarget(
      name: "BeaconCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons", "BeaconBlueZ",
        "BeaconCommandLine", "BeaconCommands", "CalibrateCommands", "BeaconTerminal",
        "BeaconTesting", "SystemKit",
        "BeaconTestSupport", "CommandTestSupport",
      ]
    ),
    .testTarget(
      name: "CalibrateCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine",
        "BeaconCommands", "CalibrateCommands", "SystemKit", "BeaconTestSupport",
        "CommandTestSupport",
      ]
    ),
    .testTarget(
      name: "DoctorCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconBlueZ", "BeaconCommands", "DoctorCommands",
        "BeaconTestSupport", "CommandTestSupport",
      ]
    ),
    .executableTarget(
      name: "TerminalCrash",
      dependencies: ["BeaconCommands", "BeaconBlueZ"]
    ),
  ]
)

let museum = room(
  "Museum",
  [
    .target(
      name: "BeaconMuseum",
      dependencies: ["BeaconCore", "BeaconFormats", "Pages"],
      plugins: ["EmbedText"]
    ),
    .target(
      name: "MuseumCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconMuseum", "Beacons", "BeaconBlueZ",
        "BeaconCommandLine", "BeaconCommands", "BeaconPlots", "BeaconTerminal", "BeaconViews",
        "Pages", "SystemKit", "WebServer",
      ],
      plugins: ["EmbedText"]
    ),
  ],
  tests: [
    .testTarget(
      name: "BeaconMuseumTests",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconMuseum", "Pages", "BeaconTestSupport"]
    ),
    .testTarget(
      name: "MuseumCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconMuseum", "Beacons", "BeaconBlueZ",
        "BeaconCommandLine", "BeaconCommands", "CalibrateCommands", "BeaconTerminal",
        "BeaconTesting", "BeaconViews", "MuseumCommands", "DoctorCommands", "Pages", "SiteCommands",
        "SystemKit",
        "WebServer",
        "BeaconTestSupport", "CommandTestSupport",
      ]
    ),
  ]
)

let service = room(
  "Service",
  [
    .target(
      name: "BeaconService",
      dependencies: ["BeaconCore", "BeaconFormats", "Beacons", "DBus", "SystemKit"]
    ),
    .target(
      name: "ServiceCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine",
        "BeaconCommands", "BeaconService", "DBus", "SystemKit",
      ]
    ),
  ],
  tests: [
    .testTarget(
      name: "BeaconServiceTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconService", "BeaconTesting", "DBus",
        "DBusTestSupport", "BeaconTestSupport", "SystemKit",
      ]
    )
  ]
)

// Apple's names, and a guide written for an iPhone.
let iPhone = room(
  "iPhone",
  [
    // The submodules of Apple's module, for `import CoreLocation.CLBeaconRegion`.
    .target(name: "CoreLocationModules"),
    // It links BeaconBlueZ and BeaconService without importing them: a package of the same build that can import
    // CoreLocation need not have D-Bus.
    .target(
      name: "CoreLocation",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconService", "SystemKit",
        "CoreLocationModules",
      ]
    ),
    // Notifications of regions, by Apple's names.
    .target(name: "UserNotifications", dependencies: ["CoreLocation"]),
    .executableTarget(
      name: "MuseumWalk",
      dependencies: ["CoreLocation", "UserNotifications"],
      exclude: ["MuseumWalk-Info.plist"]
    ),
  ],
  tests: [
    .testTarget(
      name: "CoreLocationTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons", "BeaconTesting",
        "CoreLocation",
        "BeaconTestSupport",
      ]
    ),
    // Programs that must get the same events of a replay at every speed: tools/replay-shapes.
    .executableTarget(
      name: "ReplayShapes",
      dependencies: ["BeaconTesting", "Beacons", "CoreLocation"]
    ),
    // Code of an iPhone's program is mostly of Swift 5, and writes `Error` where we write `any Error`.
    .testTarget(
      name: "CoreLocationSwift5Tests",
      dependencies: ["CoreLocation", "UserNotifications"],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
    ),
  ]
)

// History, metrics, the page of everything nearby.
let operation = room(
  "Operator",
  [
    .target(
      name: "BeaconHistory",
      dependencies: ["BeaconCore", "BeaconFormats", "SystemKit", "CSQLite"]
    ),
    .target(
      name: "HistoryCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine",
        "BeaconCommands", "BeaconHistory", "BeaconMuseum", "BeaconPlots", "BeaconViews", "Pages",
        "SystemKit", "WebServer",
      ]
    ),
  ],
  tests: [
    .testTarget(
      name: "BeaconHistoryTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconHistory", "BeaconTestSupport", "SystemKit",
      ]
    ),
    .testTarget(
      name: "HistoryCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconCommandLine", "BeaconCommands",
        "BeaconHistory", "BeaconMuseum", "BeaconPlots", "BeaconViews", "HistoryCommands", "Pages",
        "SiteCommands", "WebServer", "BeaconTestSupport", "CommandTestSupport",
      ]
    ),
  ]
)

// Several receivers.
let site = room(
  "Site",
  [
    .target(name: "BeaconSites", dependencies: ["BeaconCore", "BeaconFormats"]),
    .target(name: "BeaconFleet", dependencies: ["BeaconCore", "BeaconFormats"]),
    .target(name: "BeaconGateway", dependencies: ["BeaconCore", "BeaconFormats"]),
    .target(
      name: "BrokerClient",
      dependencies: ["BeaconCore", "BeaconGateway", "Beacons", "SystemKit", "CMosquitto"]
    ),
    .target(name: "ESPHomeAPI", dependencies: ["BeaconCore", "BeaconFormats", "BeaconGateway"]),
    .target(
      name: "ESPHomeProxies",
      dependencies: [
        "BeaconCore", "BeaconGateway", "Beacons", "ESPHomeAPI", "SystemKit", "CSodium",
      ]
    ),
    .target(
      name: "ProxyCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconGateway", "Beacons", "BeaconCommandLine",
        "BeaconCommands", "DBus", "ESPHomeAPI", "ESPHomeProxies", "SystemKit",
      ]
    ),
    .target(
      name: "SiteCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconSites", "BeaconCommandLine",
        "BeaconCommands", "BeaconTerminal", "HistoryCommands", "Pages", "SystemKit", "WebServer",
      ]
    ),
    .target(
      name: "FleetCommands",
      dependencies: [
        "BeaconCore", "BeaconFleet", "BeaconFormats", "Beacons", "BeaconCommandLine",
        "BeaconCommands", "BeaconMuseum", "SystemKit",
      ]
    ),
    .target(
      name: "GatewayCommands",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconGateway", "BeaconSites", "Beacons", "BeaconBlueZ",
        "BeaconCommandLine", "BeaconCommands", "BrokerClient", "SystemKit",
      ]
    ),
  ],
  tests: [
    .testTarget(
      name: "BeaconSitesTests",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconSites", "BeaconTestSupport"]
    ),
    .testTarget(
      name: "BeaconFleetTests",
      dependencies: [
        "BeaconCore", "BeaconFleet", "BeaconFormats", "BeaconTestSupport", "FleetTestSupport",
      ]
    ),
    .testTarget(
      name: "BeaconGatewayTests",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconGateway", "BeaconTestSupport"]
    ),
    .testTarget(
      name: "BrokerClientTests",
      dependencies: [
        "BeaconCore", "BeaconGateway", "Beacons", "BrokerClient", "SystemKit",
        "BeaconTestSupport", "BrokerTestSupport",
      ]
    ),
    .testTarget(
      name: "ESPHomeAPITests",
      dependencies: [
        "BeaconCore", "BeaconGateway", "ESPHomeAPI", "ESPHomeProxies", "BeaconTestSupport",
      ]
    ),
    .testTarget(
      name: "ESPHomeProxiesTests",
      dependencies: [
        "BeaconCore", "Beacons", "ESPHomeAPI", "ESPHomeProxies", "SystemKit", "BeaconTestSupport",
      ]
    ),
    .testTarget(
      name: "SiteCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconSites", "BeaconCommandLine",
        "BeaconCommands",
        "HistoryCommands", "Pages", "SiteCommands", "SystemKit", "WebServer", "BeaconTestSupport",
        "CommandTestSupport",
      ]
    ),
    .testTarget(
      name: "FleetCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFleet", "BeaconFormats", "BeaconCommandLine", "BeaconCommands",
        "FleetCommands", "SiteCommands", "BeaconTestSupport", "CommandTestSupport",
        "FleetTestSupport",
      ]
    ),
    .testTarget(
      name: "GatewayCommandsTests",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconGateway", "BeaconCommandLine", "BeaconCommands",
        "BrokerClient", "GatewayCommands", "SystemKit", "BeaconTestSupport", "BrokerTestSupport",
        "CommandTestSupport",
      ]
    ),
  ]
)

let support = room(
  "Support",
  [],
  tests: [
    .target(
      name: "BeaconTestSupport",
      dependencies: ["BeaconCore"]
    ),
    .target(name: "DBusTestSupport", dependencies: ["DBus", "SystemKit"]),
    .target(name: "BrokerTestSupport"),
    .target(
      name: "CommandTestSupport",
      dependencies: [
        "BeaconCore", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconCommands",
        "BeaconTerminal", "SystemKit", "BeaconTestSupport",
      ]
    ),
    .target(
      name: "FleetTestSupport",
      dependencies: ["BeaconCore", "BeaconFleet", "BeaconTestSupport"]
    ),
  ]
)

let fuzz = room(
  "Fuzz",
  [],
  tests: [
    .target(
      name: "FuzzSurfaces",
      dependencies: [
        "BeaconCore", "BeaconFormats", "BeaconGateway", "BeaconHistory", "BeaconMuseum",
        "BeaconSites", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconCommands",
        "CalibrateCommands", "ESPHomeAPI", "ESPHomeProxies",
        "MuseumCommands", "SiteCommands", "WebServer",
      ]
    ),
    .testTarget(name: "FuzzCorpusTests", dependencies: ["FuzzSurfaces", "BeaconTestSupport"]),
  ]
)

// The program, composed of the commands of all rooms, and the tests that run it.
let program: [Target] = [
  .executableTarget(
    name: "beaconctl",
    dependencies: [
      "BeaconCommands", "CalibrateCommands", "DoctorCommands", "FleetCommands", "GatewayCommands",
      "HistoryCommands",
      "MuseumCommands", "ProxyCommands", "ServiceCommands", "SiteCommands",
    ]
  ),
  .testTarget(
    name: "EndToEndTests",
    dependencies: [
      "beaconctl", "MuseumWalk", "ReplayShapes", "TerminalCrash", "BeaconCore", "BeaconFormats",
      "Beacons",
      "BeaconService", "BeaconCommandLine", "BeaconCommands", "BeaconTestSupport", "DBus",
      "DBusTestSupport",
    ]
  ),
]

// The test modules to build, where not all are wanted: `tools/test --modules`.
let wanted = Context.environment["BEACON_TESTS"]?.split(separator: ",").map(String.init)
let declared =
  system + embedding + engine + library + command + museum + service + iPhone + operation + site
  + support
  + fuzz + program
let chosen = declared.filter { $0.type != .test || wanted?.contains($0.name) ?? true }

// Only `tools/fuzz` builds the fuzzer, with flags that would break every other executable.
let fuzzers: [Target] =
  Context.environment["BEACON_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "FuzzBeacons",
      dependencies: ["FuzzSurfaces"],
      path: "Tests/Fuzz/FuzzBeacons"
    )
  ]

// Only `tools/bench` builds its own programs.
let benches: [Target] =
  Context.environment["BEACON_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "AccuracyBench",
      dependencies: ["BeaconCore", "BeaconFormats", "Beacons", "BeaconTestSupport"],
      path: "tools/bench.d/accuracy"
    ),
    .executableTarget(
      name: "FleetBench",
      dependencies: ["BeaconCore", "BeaconFleet", "BeaconTestSupport", "FleetTestSupport"],
      path: "tools/bench.d/fleet-health"
    ),
    .executableTarget(
      name: "RegionsBench",
      dependencies: ["BeaconCore", "BeaconTestSupport"],
      path: "tools/bench.d/regions"
    ),
    .executableTarget(
      name: "CoreLocationBench",
      dependencies: ["Beacons", "CoreLocation"],
      path: "tools/bench.d/core-location"
    ),
    .executableTarget(
      name: "SoakBench",
      dependencies: ["BeaconBlueZ", "BeaconCommands"],
      path: "tools/bench.d/soak"
    ),
    .executableTarget(
      name: "MuseumBench",
      dependencies: ["BeaconCore", "BeaconFormats", "BeaconMuseum"],
      path: "tools/bench.d/museum"
    ),
  ]

let package = Package(
  name: "swift-beacons",
  // For the modules that need nothing but Swift; the others need Linux.
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Beacons", targets: ["Beacons"]),
    .library(name: "BeaconTesting", targets: ["BeaconTesting", "BeaconScenarios"]),
    .library(name: "BeaconCore", targets: ["BeaconCore"]),
    .library(name: "BeaconFormats", targets: ["BeaconFormats"]),
    .library(name: "BeaconMuseum", targets: ["BeaconMuseum"]),
    .library(name: "BeaconBlueZ", targets: ["BeaconBlueZ"]),
    .library(name: "BeaconService", targets: ["BeaconService"]),
    .library(name: "BrokerClient", targets: ["BrokerClient"]),
    .library(name: "ESPHomeProxies", targets: ["ESPHomeProxies"]),
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
    .library(name: "UserNotifications", targets: ["UserNotifications"]),
    .executable(name: "beaconctl", targets: ["beaconctl"]),
  ],
  // Not enabled by default: Foundation costs each program memory.
  traits: [
    .trait(name: "Foundation", description: "Errors have their sentence as localizedDescription")
  ],
  targets: chosen + fuzzers + benches,
  swiftLanguageModes: [.v6]
)

// In a program that uses the package, a warning of a newer compiler must not stop the build.
let isOwnBuild = Context.environment["PWD"] == Context.packageDirectory
// Tests spend most of their time in these modules. Optimized, they need a third of it, and overflow and bounds are still checked.
// A build with a sanitizer runs few tests, so there optimizing would take longer than it saves.
let optimized: Set =
  Context.environment["BEACON_SANITIZED"] == nil
  ? [
    "BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons", "BeaconMuseum", "BeaconSites",
    "BeaconFleet", "BeaconGateway", "BeaconPlots", "BeaconTestSupport", "FleetTestSupport",
  ] : []
let others: Set = ["CoreLocationSwift5Tests", "CoreLocationModules"]
let ours = package.targets.filter {
  $0.type != .system && $0.type != .plugin && !others.contains($0.name)
}
for target in ours {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
  if isOwnBuild { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
  if target.type != .test { target.swiftSettings?.append(.strictMemorySafety()) }
  if isOwnBuild, optimized.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
  #if compiler(<6.3)
    // That compiler must be shown on which argument a span that a function changes depends.
    target.swiftSettings?.append(.enableExperimentalFeature("Lifetimes"))
  #endif
}
