// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
internal import Beacons

/// Repeats the streams of a client of a service, from the service's recording.
///
/// The engine runs with all clients of the recording, since the requests of one decide the engine's knowledge when
/// another one comes. The lines are written as the service writes them.
package final class ServiceReplay {
  /// Why a stream cannot be repeated.
  package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The recording has no client of the key; these it has.
    case unknownClient(String, known: [String])
    /// The client has fewer streams.
    case unknownStream(Int, count: Int)
    /// The recording has no requests: a service did not make it.
    case noRequests
    /// A piece before this one is missing.
    case missingPiece(before: Int)
    /// The recording does not begin with the start of the service, which has the constants of the engine.
    case missingStart(at: Timestamp)
    /// A file is not a capture, for a reason.
    case unreadable(String, String)

    package var description: String {
      switch self {
      case .unknownClient(let key, let known):
        "the recording has no client '\(key)'; it has \(known.joined(separator: ", "))"
      case .unknownStream(let number, let count):
        "the client has no stream \(number) in the recording; it has \(count)"
      case .noRequests:
        "the recording has no requests of clients; 'beaconctl service run --record FILE' makes one that has"
      case .missingPiece(let number):
        "the pieces of the recording before piece \(number) are missing; name them, too"
      case .missingStart(let time):
        "the recording of \(RFC3339.string(time)) lacks the start of the service, without which no stream can be"
          + " repeated; name the whole recording, not a part that 'convert' cut out"
      case .unreadable(let path, let reason): "\(path): \(reason)"
      }
    }
  }

  /// Notes for a user on the recording.
  package private(set) var remarks: [String] = []
  private let client: String
  /// The stream that is repeated; `nil` for all of them.
  private let stream: Int?
  private let write: ([UInt8]) throws -> Void
  private var streams: RecordedStreams
  private var lines = StreamLines()
  // The run of the service that is repeated.
  private var part = -1
  private var header: CaptureHeader?
  private var hasEnded = false
  /// Whether the engine of this part has its constants.
  private var isConfigured = false
  /// The requests that cannot be read, or have a time that they cannot have.
  private var unread: (count: Int, first: Timestamp?) = (0, nil)
  /// The time of the latest input.
  private var latest = Timestamp.earliest
  private var run: RunCore?
  private var utcOffset: TimeSpan?
  private var isShutDown = false
  private var ids: [String: ClientID] = [:]
  // The client in it.
  private var sequence: UInt64 = 0
  private var deliveries = 0
  private var nextChange = 0
  private var open: [(number: Int, stream: RequestLine.Stream)] = []
  private var crossings: [(number: UInt64, bytes: [UInt8])] = []

  /// Prepares a replay.
  ///
  /// - Parameters:
  ///   - client: The client's key.
  ///   - stream: The stream, counted from 1 in the recording; `nil` repeats every line that any of them got, once.
  ///   - write: Receives lines, in order.
  package init(
    of client: String,
    stream: Int? = nil,
    writing write: @escaping ([UInt8]) throws -> Void
  ) {
    self.client = client
    self.stream = stream
    self.write = write
    streams = RecordedStreams(of: client)
  }

  /// Repeats the streams.
  ///
  /// - Parameters:
  ///   - paths: The files of the recording, in any order.
  ///   - isInterrupted: Asked now and then whether to stop.
  /// - Returns: Whether the recording was read to its end.
  /// - Throws: ``Failure``, errors of the files, and of the closure that writes.
  @discardableResult
  package func run(
    _ paths: [String],
    until isInterrupted: () -> Bool = { false }
  ) throws -> Bool {
    var walk = try RecordingWalk(paths)
    guard try walk.run(until: isInterrupted, { try self.prepare($0) }) else { return false }
    guard !streams.clients.isEmpty else { throw Failure.noRequests }
    guard streams.clients.contains(client) else {
      throw Failure.unknownClient(client, known: streams.clients.sorted())
    }
    if let stream, !(1...max(1, streams.count)).contains(stream) {
      throw Failure.unknownStream(stream, count: streams.count)
    }
    if stream == nil, streams.mostAtOnce > 1 {
      remarks.append(
        "\(client) had \(streams.mostAtOnce) streams at once: a line that several of them got is written once;"
          + " '\(client)#1' is the first of \(streams.count)"
      )
    }
    (part, header, hasEnded) = (-1, nil, false)
    guard try walk.run(until: isInterrupted, { try self.take($0) }) else { return false }
    try leave()
    if let first = unread.first {
      remarks.append(
        (unread.count == 1 ? "1 line" : "\(unread.count) lines")
          + " of the recording cannot be read, the first of \(RFC3339.string(first)); from then on the client may have"
          + " got something else"
      )
    }
    remarks += walk.remarks
    return true
  }

  /// Whether a header begins another run of the service.
  private func begins(_ header: CaptureHeader) throws(Failure) -> Bool {
    defer { (self.header, hasEnded) = (header, false) }
    if self.header != nil,
      CaptureHeader.isSeamless(from: self.header, hasEnded: hasEnded, to: header)
    {
      return false
    }
    if let piece = header.piece, piece > 1, !header.isCut {
      throw .missingPiece(before: piece)
    }
    return true
  }

  private func prepare(_ step: RecordingWalk.Step) throws {
    switch step {
    case .header(let header):
      guard try begins(header) else { return }
      (isConfigured, latest) = (false, .earliest)
      streams.begin()
    case .line(let line):
      hasEnded = hasEnded || isEnd(line)
      guard let request = request(line) else { return }
      if case .configuration = request.content {
        isConfigured = true
      } else if !isConfigured, !hasEnded {
        throw Failure.missingStart(at: request.time)
      }
      streams.add(request)
    case .inputs(let batch, _): note(batch)
    }
  }

  /// A line's request; `nil` for other lines, and for those that the service did not write so.
  private func request(_ line: UserActionLine) -> RequestLine? {
    isPossible(line.time) ? RequestLine(line) : nil
  }

  /// Whether a line can have a time: the service writes each at the time of the inputs before it, and a later one would
  /// make the engine skip what follows.
  private func isPossible(_ time: Timestamp) -> Bool {
    latest == .earliest || time <= latest + Self.slack
  }

  /// Whether a line ends a part of the recording.
  ///
  /// One with a time far from the inputs before it does not: the recorder notes every few seconds that it listens.
  private func isEnd(_ line: UserActionLine) -> Bool {
    guard line.input == "end", latest > .earliest else { return line.input == "end" }
    return line.time <= latest + Self.gap && line.time + Self.gap >= latest
  }

  private func note(_ batch: ScanBatch) {
    guard let time = batch.inputs.last?.time else { return }
    latest = max(latest, time)
  }

  private func skip(_ line: UserActionLine) {
    unread = (unread.count + 1, unread.first ?? line.time)
  }

  /// The longest time before an end that the recording does not describe.
  private static let gap = TimingConfiguration().gap

  /// Each user action takes a microsecond of the engine's time.
  private static let slack = TimeSpan.seconds(1)

  // MARK: Steps

  private func take(_ step: RecordingWalk.Step) throws {
    switch step {
    case .header(let header): if try begins(header) { try enter() }
    case .inputs(let batch, let receivers):
      note(batch)
      lines.name(receivers: receivers)
      run?.context.name(receivers: receivers)
      // Before the engine there is only the mark of the start.
      try play(.batch(batch))
    case .line(let line):
      if line.input == "end" { return isEnd(line) ? try end(at: line.time) : skip(line) }
      if let request = request(line) { return try take(request) }
      guard line.input != "request", isPossible(line.time) else { return skip(line) }
      if let action = RecordedUserAction(line) { try take(action) }
    }
  }

  /// Begins with another run of the service.
  private func enter() throws {
    try leave()
    part += 1
    run = nil
    latest = .earliest
    (utcOffset, isShutDown, ids) = (nil, false, [:])
    (sequence, deliveries, nextChange, open, crossings) = (0, 0, 0, [], [])
  }

  /// Streams opened after the last delivery are opened as well.
  private func leave() throws { if part >= 0 { try follow(before: .max) } }

  private func end(at time: Timestamp) throws {
    hasEnded = true
    // Let pass every due deadline before.
    try play(.arrival(time))
    try play(.end(isShutDown ? .shutDown : .sourceEnded))
    run = nil
  }

  private func take(_ action: RecordedUserAction) throws {
    if case .zone(let offset) = action.input {
      // Every piece repeats it.
      guard offset != utcOffset else { return }
      utcOffset = offset
    }
    let id = action.client.flatMap { ids[$0] }
    guard id != nil || action.client == nil else { return }
    try play(.action(TimedUserAction(time: action.time, client: id, action: action.input)))
  }

  private func take(_ line: RequestLine) throws {
    if case .configuration(let configuration) = line.content {
      return try configure(configuration, at: line.time)
    }
    guard run != nil else { return }
    try play(.arrival(line.time))
    switch line.content {
    case .begin(let beginning): try connect(beginning, line.client ?? "")
    case .sightings: run?.context.driver?.watchSightings()
    case .shutdown: isShutDown = true
    case .start(let isForeground):
      if let id = line.client.flatMap({ ids[$0] }) {
        run?.context.driver?.relaunch(id, isForeground: isForeground)
      }
    case .end: if let id = line.client.flatMap({ ids[$0] }) { run?.context.engine.terminate(id) }
    case .request(let request):
      run?.context.engine.request(request, by: line.client.flatMap { ids[$0] })
    case .configuration, .stream, .streamEnd, .repeated: break
    }
    try deliver(run?.context.engine.drainDeliveries() ?? [])
  }

  private func configure(_ configuration: Configuration, at time: Timestamp) throws {
    guard run == nil else {
      try play(.arrival(time))
      run?.context.driver?.reconfigure(configuration)
      return
    }
    var configuration = configuration
    configuration.authorization.utcOffset = utcOffset
    run = RunCore(RunEngine(EngineDriver(configuration, startingAt: time)), policy: .scripted)
    run?.context.driver?.roundTimes()
  }

  private func connect(_ beginning: RequestLine.Beginning, _ name: String) throws {
    if name == client { sequence = beginning.sequence }
    ids[name] = run?.context.driver?.connect(
      beginning.manifest,
      restoring: beginning.saved,
      isForeground: beginning.isForeground
    )
  }

  // MARK: The engine

  /// Gives the engine an input of the recording; before the start of the service the engine is missing.
  private func play(_ input: ScriptedInput) throws { try deliver(run?.play(input) ?? []) }

  // MARK: The client

  private func deliver(_ found: [Delivery]) throws {
    for delivery in found {
      guard case .client(let id) = delivery.recipient, ids[client] == id else { continue }
      deliveries += 1
      try follow(before: deliveries)
      var number: UInt64?
      switch delivery.event {
      case .regionEntered, .regionExited:
        sequence += 1
        number = sequence
        let text = lines.lines(of: delivery, to: client, sequence: sequence)
        crossings.append((sequence, Array(text.map(\.bytes).joined())))
        if crossings.count > CrossingJournal.limit { crossings.removeFirst() }
      default: break
      }
      guard let passed = passed(delivery) else { continue }
      for line in lines.lines(of: passed, to: client, sequence: number) { try write(line.bytes) }
    }
  }

  /// A delivery as the streams got it; `nil` if none of them did.
  private func passed(_ delivery: Delivery) -> Delivery? {
    var constraints: [IdentityConstraint] = []
    var goal: Delivery?
    for stream in open {
      constraints += stream.stream.constraints
      goal = goal ?? delivery.own(in: stream.stream.goals)
    }
    return goal?.ranged(constraints)
  }

  /// Applies what happened to the streams before a delivery.
  private func follow(before delivery: Int) throws {
    guard streams.parts.indices.contains(part) else { return }
    let changes = streams.parts[part]
    while nextChange < changes.count, changes[nextChange].after < delivery {
      let change = changes[nextChange]
      nextChange += 1
      guard stream == nil || stream == change.stream else { continue }
      switch change.kind {
      case .open(let stream, let repeated):
        open.append((change.stream, stream))
        for line in repeated { try write(Array(line.utf8) + [UInt8(ascii: "\n")]) }
        guard let since = stream.since else { continue }
        for crossing in crossings where crossing.number > since { try write(crossing.bytes) }
      case .change(let stream):
        guard let place = open.firstIndex(where: { $0.number == change.stream }) else { continue }
        open[place].stream = stream
      case .end: open.removeAll { $0.number == change.stream }
      }
    }
  }
}
