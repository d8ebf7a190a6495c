// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

/// How a process hears beacons and who answers for its person.
public struct LocationSetup: Sendable {
  /// Where beacons are heard.
  public enum Source: Sendable {
    /// BlueZ: an adapter by name or address, or every adapter.
    case bluetooth(adapter: String? = nil)
    /// A capture file, `speed` times as fast as it was recorded, or as fast as it can be read.
    case capture(path: String, speed: Double? = nil)
    /// Another source.
    case source(any ScanSource)
    /// None, for a reason that is told when a manager is made.
    case failing(any Error)
  }

  /// What becomes of the process when a capture has ended.
  public enum AtEnd: String, Sendable {
    /// It goes on, as it would on a phone.
    case stay
    /// It exits, with 0 if the capture was read to its end.
    case exit
  }

  /// Where beacons are heard.
  public var source: Source
  /// How the engine works; Core Location's rows of iOS 14 unless set.
  public var configuration = Configuration(.coreLocation14)
  /// What the program says of itself; `nil` is what the `Info.plist` beside the executable says.
  public var manifest: Manifest?
  /// Who answers prompts; without one they stay open.
  public var prompter: (any Prompter)?
  /// Where grants, regions and records are kept; `nil` keeps nothing.
  public var state: ClientStore?
  /// The name under which they are kept.
  public var name = ProcessFiles.name
  /// What becomes of the process when a capture has ended.
  public var atEnd = AtEnd.stay

  /// Creates a setup; state is kept of what is heard live, and not of a capture.
  public init(_ source: Source) {
    self.source = source
    if case .bluetooth = source { state = ClientStore() }
  }
}
