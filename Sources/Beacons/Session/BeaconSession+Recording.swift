// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import SystemKit

extension BeaconSession {
  /// Names a client in the recording.
  func name(_ client: ClientID, _ name: String?, _ grants: SavedAuthorization?) {
    names[client] = name ?? "client\(client.number)"
    guard let grants else { return }
    initialGrants.append(ClientStateLine(client: names[client] ?? "", grants: grants))
  }

  /// Starts the recording, if one was requested, with the user actions from before the run.
  func beginRecording() async throws {
    guard let recording, recorder == nil, let start = driver?.now else { return }
    receivers = await source.receiverNames
    driver?.keepSlices()
    let files = OutputFiles(replacing: recording.replacesExisting)
    if let capture = source as? CaptureSource { files.addInput(capture.path) }
    let file = RecordingFile(
      RecordingFile.Place(path: recording.path, format: .lines, continues: source.isLive),
      opening: files,
      header: CaptureHeader(
        tool: "Beacons",
        version: Library.version,
        receivers: receivers,
        profile: configuration.profile.rawValue
      ),
      includesAddresses: recording.includesAddresses
    )
    var recorder = try Recorder(
      file,
      startingAt: start,
      gap: configuration.timing.gap,
      zone: driver?.configuration.authorization.utcOffset,
      states: initialGrants
    )
    for action in earlyActions { try recorder.record(action) }
    earlyActions = []
    self.recorder = recorder
  }

  /// Updates the names of the receivers before their batch is recorded.
  func nameReceivers() async throws {
    if let recordingFailure { throw recordingFailure }
    if recorder != nil { receivers = await source.receiverNames }
  }

  /// Records inputs with their admission times.
  ///
  /// The caller does not wait for the disk. So a write failure ends the run only at its next step.
  func record(_ slice: ScanSlice) {
    do { try recorder?.record(slice, receivers: receivers) } catch { recordingFailure = error }
  }

  /// Records a user action.
  func record(_ action: TimedUserAction) {
    guard recording != nil else { return }
    let action = RecordedUserAction(
      time: action.time,
      client: action.client.flatMap { names[$0] },
      input: action.action
    )
    guard recorder != nil else { return earlyActions.append(action) }
    do { try recorder?.record(action) } catch { recordingFailure = error }
  }

  /// Ends the recording at a point of the timeline.
  func endRecording(at time: Timestamp) {
    do { try recorder?.end(at: time) } catch { recordingFailure = error }
    recorder = nil
  }
}
