// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconFormats
public import Beacons

/// The setup of a process: its source of beacons, and how prompts are answered.
public struct LocationSetup: Sendable {
  /// The source of beacons.
  public enum Source: Sendable {
    /// The service of the machine if it runs, otherwise BlueZ with every adapter.
    case machine
    /// BlueZ: an adapter by name or address, or every adapter.
    case bluetooth(adapter: String? = nil)
    /// A capture file, `speed` times as fast as it was recorded, or as fast as it can be read.
    case capture(path: String, speed: Double? = nil)
    /// Another source.
    case source(any ScanSource)
    /// No source, because of an error that is reported when a manager is created.
    case failing(any Error)
  }

  /// The action of the process when a capture has ended.
  public enum AtEnd: String, Sendable {
    /// It continues, as it would on a phone.
    case stay
    /// It exits, with status 0 if the capture was read to its end.
    case exit
  }

  /// The source of beacons.
  public var source: Source
  /// The configuration of the engine; by default the behavior of Core Location in iOS 14.
  public var configuration = Configuration(.coreLocation14)
  /// The program's manifest; `nil` uses the `Info.plist` next to the executable.
  public var manifest: Manifest?
  /// Answers prompts; without a prompter they stay open.
  public var prompter: (any Prompter)?
  /// The user's other actions, at times from the start.
  package var actions: [AnswersReader.Entry] = []
  /// The beacons that stand for circles on the map in triggers of notifications, by the circles' identifiers.
  package var circles: [String: IdentityConstraint] = [:]
  /// The store of grants, regions and records; `nil` keeps nothing.
  public var state: ClientStore?
  /// The program's name in the store.
  public var name = ProcessFiles.name
  /// The action of the process when a capture has ended.
  public var atEnd = AtEnd.stay

  /// Creates a setup.
  ///
  /// By default state is kept for a live source and not for a capture.
  public init(_ source: Source) {
    self.source = source
    switch source {
    case .machine, .bluetooth: state = ClientStore()
    case .capture, .source, .failing: break
    }
  }
}
