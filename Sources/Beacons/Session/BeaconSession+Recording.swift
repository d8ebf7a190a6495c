// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

extension BeaconSession {
  /// Names a client in the recording.
  func name(_ client: ClientID, _ name: String?, _ grants: SavedAuthorization?) {
    names[client] = name ?? "client\(client.number)"
    guard let grants else { return }
    initialGrants.append(ClientStateLine(client: names[client] ?? "", grants: grants))
  }

  /// Begins the recording that is wanted, with what persons did before the run.
  func beginRecording() async throws {
    guard let recording, log == nil, let start = engine?.now else { return }
    let receivers = await source.receiverNames
    engine?.keepAdmissions()
    var log = try SessionLog(
      recording,
      configuration,
      receivers: receivers,
      startingAt: start,
      states: initialGrants
    )
    for moment in earlyActions { try log.write(moment) }
    earlyActions = []
    self.log = log
  }

  /// Takes the batch that is about to be heard into the recording.
  func beginRecording(_ batch: ScanBatch) async throws {
    try recordingFailure.map { throw $0 }
    guard log != nil else { return }
    let receivers = await source.receiverNames
    log?.begin(batch, receivers: receivers)
  }

  /// Writes what was heard up to now.
  func recordReceived() throws {
    guard log != nil else { return }
    let times = engine?.drainAdmissions() ?? []
    try log?.write(admittedAt: times)
  }

  /// Writes what a person did; who did it does not wait for a disk, so a failure ends the run at its next step.
  func record(_ input: UserAction, of client: ClientID?) {
    guard recording != nil, let time = engine?.now else { return }
    let moment = RecordedUserAction(time: time, client: client.flatMap { names[$0] }, input: input)
    guard log != nil else { return earlyActions.append(moment) }
    do { try log?.write(moment) } catch { recordingFailure = error }
  }

  /// The earliest time of a person's input.
  ///
  /// While a recording is made it comes later than every input before it, so that the times alone say in which order a
  /// replay puts them in.
  func earliestTime(of now: Timestamp) -> Timestamp {
    recording == nil ? now : now + TimeSpan(microseconds: 1)
  }

  /// Ends the recording where the timeline stands.
  func endRecording() throws {
    guard log != nil, let time = engine?.now else { return }
    try recordReceived()
    try log?.end(at: time)
    log = nil
  }
}
