// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconFormats
package import SystemKit

extension BeaconSession {
  /// Names a client in the recording.
  func name(_ client: ClientID, _ name: String, _ grants: SavedAuthorization?) {
    names[client] = name
    listeners.name(client, name)
    guard let grants else { return }
    initialGrants.append(ClientStateLine(client: name, grants: grants))
  }

  /// Starts the recording, if one was requested, with what happened before the run.
  func beginRecording() async throws {
    guard isRecording, recorder == nil, let start = core?.context.now else { return }
    receivers = await source?.receiverNames ?? []
    core?.context.driver?.keepSlices()
    guard let file = try recordingFile() else { return }
    do {
      recorder = try makeRecorder(file, startingAt: start)
    } catch {
      // A service whose disk is full starts all the same.
      guard let serviceRecording else { throw error }
      recordingFailure = error
      serviceRecording.show(.failed("\(error)"))
    }
    earlyLines = []
    showNotices()
  }

  /// Begins the recording with what happened before the run.
  private func makeRecorder(
    _ file: RecordingFile,
    startingAt start: Timestamp
  ) throws -> Recorder {
    var recorder = try Recorder(
      file,
      startingAt: start,
      gap: configuration.timing.gap,
      zone: core?.context.engine.configuration?.authorization.utcOffset,
      states: initialGrants
    )
    if serviceRecording != nil, let configuration = core?.context.engine.configuration {
      let line = RequestLine(time: start, client: nil, .configuration(configuration))
      try recorder.record(line)
    }
    for line in earlyLines {
      switch line {
      case .action(let action): try recorder.record(action)
      case .request(let request): try recorder.record(request)
      }
    }
    return recorder
  }

  /// Whether a recording was requested and has not failed.
  private var isRecording: Bool {
    recording != nil || serviceRecording != nil && recordingFailure == nil
  }

  /// The file of the recording, which is not opened yet.
  private func recordingFile() throws -> RecordingFile? {
    let header = CaptureHeader(
      tool: "Beacons",
      version: Library.version,
      receivers: receivers,
      profile: configuration.profile.rawValue
    )
    if let serviceRecording {
      return RecordingFile(
        serviceRecording.place,
        opening: serviceRecording.files,
        header: header,
        includesAddresses: serviceRecording.includesAddresses
      )
    }
    guard let recording else { return nil }
    let files = OutputFiles(replacing: recording.replacesExisting)
    for path in (source as? CaptureSource)?.paths ?? [] { try files.addInput(path) }
    return RecordingFile(
      RecordingFile.Place(path: recording.path, format: .lines, continues: listeners.isLive),
      opening: files,
      header: header,
      includesAddresses: recording.includesAddresses
    )
  }

  /// Updates the names of the receivers before their batch is processed.
  func nameReceivers() async throws {
    try checkRecording()
    receivers = await source?.receiverNames ?? []
  }

  /// Throws what stopped the recording; a service continues without it.
  func checkRecording() throws {
    if serviceRecording == nil, let recordingFailure { throw recordingFailure }
  }

  /// Records inputs with their admission times.
  ///
  /// The caller does not wait for the disk. So a write failure ends the run only at its next step.
  func record(_ slice: ScanSlice) {
    write { try $0.record(slice, receivers: receivers) }
  }

  /// Records a user action.
  func record(_ action: TimedUserAction) {
    guard isRecording, phase != .ended else { return }
    let action = RecordedUserAction(
      time: action.time,
      client: action.client.flatMap { names[$0] },
      input: action.action
    )
    guard recorder != nil else { return earlyLines.append(.action(action)) }
    write { try $0.record(action) }
  }

  /// Records a service's action for a client, at the current time of the timeline.
  func record(_ content: RequestLine.Content, of client: ClientID?) {
    record(content, ofClient: client.flatMap { names[$0] })
  }

  /// Records a service's action for a client by its name, at the current time of the timeline.
  package func record(_ content: RequestLine.Content, ofClient name: String?) {
    guard serviceRecording != nil, isRecording, phase != .ended, let now = core?.context.now else {
      return
    }
    let line = RequestLine(time: now, client: name, content)
    guard recorder != nil else { return earlyLines.append(.request(line)) }
    write { try $0.record(line) }
  }

  /// Ends the recording at a point of the timeline.
  func endRecording(at time: Timestamp) {
    write { try $0.end(at: time) }
    recorder = nil
  }

  private func write(_ work: (inout Recorder) throws -> Void) {
    guard var written = recorder.take() else { return }
    do {
      defer { recorder = written }
      try work(&written)
    } catch {
      recordingFailure = error
      guard let serviceRecording else { return }
      // Inputs lost on a full disk cannot be restored, so nothing more is written in this run.
      recorder = nil
      serviceRecording.show(.failed("\(error)"))
    }
    showNotices()
  }

  private func showNotices() {
    guard let serviceRecording, let notices = recorder?.drainNotices() else { return }
    for notice in notices { serviceRecording.show(.notice(notice)) }
  }
}

/// The facts recorded at the start of the run, since they happened before.
enum EarlyLine {
  case action(RecordedUserAction)
  case request(RequestLine)
}

/// How a service records its inputs, user actions and its clients' requests.
package struct ServiceRecording: Sendable {
  /// A message for the operator of the service.
  package enum Remark: Sendable {
    /// Something happened to the file.
    case notice(RecordingNotice)
    /// Nothing more can be written; the service continues.
    case failed(String)
  }

  /// The file.
  package var place: RecordingFile.Place
  /// Opens the file.
  package var files: OutputFiles
  /// Whether device addresses are recorded unchanged.
  package var includesAddresses: Bool
  /// Called in the session's isolation; it must not wait.
  package var show: @Sendable (Remark) -> Void

  package init(
    _ place: RecordingFile.Place,
    opening files: OutputFiles,
    includesAddresses: Bool = false,
    show: @escaping @Sendable (Remark) -> Void = { _ in }
  ) {
    self.place = place
    self.files = files
    self.includesAddresses = includesAddresses
    self.show = show
  }
}
