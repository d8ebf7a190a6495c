// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the bus and BlueZ answer when they are asked once, without scanning.
package struct BlueZSurvey: Sendable, Equatable {
  /// How far the calls got.
  package enum Reach: Sendable, Equatable {
    /// There is no connection to the bus; the text is the reason.
    case noBus(String)
    /// No program owns the name `org.bluez`.
    case noService
    /// BlueZ, or the bus's policy, refused to answer: the D-Bus error.
    case refused(String)
    /// BlueZ did not answer in time.
    case noAnswer
    /// BlueZ described its objects.
    case answered
  }

  /// What BlueZ says of one adapter.
  package struct Adapter: Sendable, Equatable {
    /// The name, such as `hci0`.
    package var name: String
    /// The device address; empty where it is not known.
    package var address = ""
    /// Whether it is powered.
    package var isPowered = false
    /// Whether discovery runs for another program.
    package var isDiscovering = false
    /// Whether it can scan for Low Energy devices; `nil` where an old daemon does not say.
    package var isCentral: Bool?
    /// Whether the daemon accepts advertisement monitors.
    package var acceptsMonitors = false
    /// The keys that a discovery filter may have; `nil` where the daemon does not say.
    package var filterKeys: [String]?

    /// Creates an adapter of which only the name is known.
    package init(name: String) {
      self.name = name
    }
  }

  /// How far the calls got.
  package var reach: Reach
  /// The daemon's process; `nil` where the bus does not say.
  package var process: Int?
  /// The daemon's version, such as 5.66, as its device identifier has it; `nil` where it has none.
  package var version: String?
  /// The adapters, by name.
  package var adapters: [Adapter] = []

  /// Creates what is known when the calls got so far.
  package init(_ reach: Reach) {
    self.reach = reach
  }

  /// Returns our filter keys that an adapter's daemon does not know.
  package static func missingKeys(_ known: [String]) -> [String] {
    DiscoveryFilter.Key.allCases.map(\.rawValue).filter { !known.contains($0) }
  }
}
