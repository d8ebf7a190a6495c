// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Configures how recordings are written.
public struct RecordingConfiguration: Sendable, Equatable, ConfigurationSection {
  /// How long written data may wait for the disk, the most that a power cut can cost.
  ///
  /// Each wait writes at least the file's last block and the file system's journal. Every 5 s that is up to 17,000 times
  /// a day, which a memory card endures for years; every second it would be five times that.
  public var synchronizeInterval = TimeSpan.seconds(5)

  /// Creates the configuration with its defaults.
  public init() {}

  /// Creates a profile's configuration, which is the same for all profiles.
  public init(_ profile: Profile) { self.init() }

  /// The constants of the section `recording`.
  package static let constants: [SectionConstant<RecordingConfiguration>] = [
    .seconds(
      "recording.synchronizeInterval",
      \.synchronizeInterval,
      0.1...3600,
      "what a power cut may cost; each wait for the disk writes some blocks, up to 17,000 times a day"
    )
  ]
}

extension ConfigurationSchema {
  /// The configuration constants of recordings.
  package static let recording = ConfigurationSchema(RecordingConfiguration.constants)
}
