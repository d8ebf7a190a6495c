// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconBlueZ
package import BeaconCore
package import Beacons
internal import SystemKit
package import BeaconFormats

/// The options of a run, as given by the user.
package struct RunOptions {
  /// The captures; `-` is standard input.
  package var captures: [String] = []
  /// Opens the source of another module; `nil` for none.
  package var opener: AdditionalSource.Opener?
  /// Whether the inputs are simulated.
  package var isSimulated = false
  /// The adapter to listen with, by name or address; `nil` is every powered one.
  package var adapter: String?
  /// How reports come from the adapters.
  package var via = ReportPath.automatic
  /// How many times faster than the capture it is played; `nil` is as fast as it goes.
  package var speed: Double?
  /// How the engine works.
  package var configuration = Configuration()
  /// Everything that is set, from which each module decodes its own configuration.
  package var settings = ConfigurationSettings()
  /// The addition to a receiver's RSSI in dB, by the receiver's name.
  package var receiverOffsets: [(name: String, decibels: Double)] = []
  /// The names of beacons.
  package var names = NameBook()
  /// The configuration file that the user named, which also keeps new names; `nil` for the account's.
  package var configurationFile: String?
  /// The constraints requested; none with ranging requests everything nearby.
  package var constraints: [IdentityConstraint] = []
  /// The regions to monitor.
  package var regions: [Region] = []
  /// The region that must be inside for ranging to continue.
  package var whileInside: RegionIdentifier?
  /// The directory that keeps the regions' states between runs; `nil` is the user's, only for live runs.
  package var stateDirectory: String?
  /// The client; `nil` is the operator.
  package var client: RunClient?
  /// The time that is shown of a replay; `nil` for all of it.
  package var span: MomentSpan?
  /// Whether to continue after the end until every region has settled.
  package var drains = false
  /// The recording of the run's inputs, if any.
  package var recording: OutputPath?
  /// The permissions of a new recording: only its owner may read who was where.
  package var recordingMode: UInt32 = 0o600
  /// When the recording continues in a new file; `nil` for never.
  package var rotation: RecordingFile.Rotation?
  /// How many older files of the recording are kept.
  package var keptFiles = 4
  /// The operator's command for each crossing of a region; `nil` for none.
  package var hook: String?
  /// Whether the desktop shows a notification of each crossing.
  package var notifies = false
  /// The additions of other modules to the run.
  package var participants: [AdditionalParticipant.Maker] = []
  /// The change of the run's source, if any.
  package var filter: AdditionalCondition.Filter?
  /// Called with the learned offsets of receivers in dB, when they change.
  package var offsetsChanged: @Sendable ([String: Int]) -> Void = { _ in }
  /// The folders in which these keep files.
  package var folders: [AdditionalParticipant.Folder] = []
  /// The output options, as given by the user.
  package var output = OutputOptions()

  package init() {}

  /// Whether the inputs come from adapters or from other machines.
  package var isLive: Bool { captures.isEmpty && !isSimulated }

  /// Whether the run waits for disks and writes its files whole; a replay with a speed is watched, as a live run.
  var isUnhurried: Bool { !isLive && speed == nil }

  /// Whether another run can make the same files.
  var canRepeat: Bool { isUnhurried && captures.allSatisfy(Self.canReadAgain) }

  /// Whether an input can be read again; the bytes of a pipe are gone.
  static func canReadAgain(_ path: String) -> Bool {
    let status = path == "-" ? FileDescriptor.standardInput.status : FileStatus(path)
    return status.map { $0.isRegular || $0.isFolder } ?? true
  }
}
