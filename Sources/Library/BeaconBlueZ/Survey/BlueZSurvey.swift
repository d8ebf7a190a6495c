// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The answers of the bus and of BlueZ to a few calls, without scanning.
package struct BlueZSurvey: Sendable, Equatable {
  /// How far the calls got.
  package enum Reach: Sendable, Equatable {
    /// The connection to the bus failed; the text is the reason.
    case noBus(String)
    /// The system does not let this program connect to the bus; the text is the reason.
    case busForbidden(String)
    /// No program owns the name `org.bluez`.
    case noService
    /// BlueZ runs, and did not describe its objects.
    case failed(BlueZFailure)
    /// BlueZ described its objects.
    case answered
  }

  /// An adapter as BlueZ describes it.
  package struct Adapter: Sendable, Equatable {
    /// The name, such as `hci0`.
    package var name: String
    /// The device address; empty if it is not known.
    package var address = ""
    /// Whether it is powered.
    package var isPowered = false
    /// Whether discovery runs for another program.
    package var isDiscovering = false
    /// Whether it can scan for Low Energy devices; `nil` if the daemon is too old to report it.
    package var isCentral: Bool?
    /// Whether the daemon accepts advertisement monitors.
    package var acceptsMonitors = false
    /// The keys that a discovery filter may have; `nil` if the daemon does not report them.
    package var filterKeys: [String]?
    /// Why the daemon does not report them.
    package var filterFailure: BlueZFailure?

    /// Creates an adapter with only its name.
    package init(name: String) {
      self.name = name
    }
  }

  /// How far the calls got.
  package var reach: Reach
  /// The daemon's process; `nil` if the bus does not report it.
  package var process: Int?
  /// The daemon's version from its device identifier, such as 5.66, if any.
  package var version: String?
  /// The adapters, by name.
  package var adapters: [Adapter] = []

  /// Creates a survey whose calls got this far.
  package init(_ reach: Reach) {
    self.reach = reach
  }

  /// Returns the filter keys of this program that a daemon does not know.
  package static func missingKeys(_ known: [String]) -> [String] {
    DiscoveryFilter.Key.allCases.map(\.rawValue).filter { !known.contains($0) }
  }
}
