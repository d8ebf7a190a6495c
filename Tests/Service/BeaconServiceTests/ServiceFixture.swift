// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Synchronization
import SystemKit
import Testing

/// A source whose inputs the test gives, one batch after the other; it waits for them like a radio.
final class PushedSource: ScanSource {
  private let batches: AsyncStream<ScanBatch>
  private let continuation: AsyncStream<ScanBatch>.Continuation
  private let start: Timestamp

  init(from start: Timestamp = Timeline.start) {
    self.start = start
    (batches, continuation) = AsyncStream.makeStream()
  }

  var now: Timestamp { start }
  var receiverNames: [String] { ["test"] }

  func push(_ timeline: Timeline) {
    for batch in timeline.batches() { continuation.yield(batch) }
  }

  func push(_ batch: ScanBatch) { continuation.yield(batch) }

  func end() { continuation.finish() }

  func next(until deadline: Timestamp?) async -> ScanBatch? {
    for await batch in batches { return batch }
    return nil
  }
}

/// A running service on a private bus.
final class ServiceFixture: Sendable {
  let bus: PrivateBus
  let folder: URL
  let source: PushedSource
  let host: BeaconServiceHost
  private let task: Task<Void, any Error>
  private let events: AsyncStream<ServiceEvent>
  private let administrates: Bool

  /// Starts a service and waits until it has its name.
  init(
    on bus: PrivateBus,
    in folder: URL,
    from start: Timestamp = Timeline.start,
    quotas: ServiceQuotas = ServiceQuotas(),
    grants: String? = nil,
    configuration: Configuration = Configuration(),
    origin: @escaping @Sendable (PeerCredentials) -> CallerOrigin? = { _ in .account("anna") },
    administrates: Bool = true,
    recording: RecordingFile.Place? = nil
  ) async throws {
    self.bus = bus
    self.folder = folder
    source = PushedSource(from: start)
    let (events, continuation) = AsyncStream<ServiceEvent>.makeStream()
    self.events = events
    var setup = ServiceSetup(
      bus: BusAddress(bus.address),
      store: ClientStore(directory: folder.path),
      grantsFolder: grants,
      show: { continuation.yield($0) }
    )
    setup.quotas = quotas
    setup.configuration = configuration
    setup.reconnects = false
    setup.recording = recording.map { ServiceRecording($0, opening: OutputFiles()) }
    setup.probe = CallerProbe(origin: origin, isAdministrator: { _ in administrates })
    let host = BeaconServiceHost(setup, source: source)
    self.host = host
    task = Task { try await host.run() }
    self.administrates = administrates
    #expect(await next { $0 == .ready } == .ready)
  }

  /// Lets the source give inputs after the requests that programs made before: the bus answers them earlier.
  func push(_ timeline: Timeline) async throws {
    try await settle()
    source.push(timeline)
  }

  func push(_ batch: ScanBatch) async throws {
    try await settle()
    source.push(batch)
  }

  /// The list of clients is made in the engine's turn, after all requests of before.
  private func settle() async throws {
    if administrates { _ = try await ServiceProgram(bus).admin("ListClients") }
  }

  /// The next event that is wanted.
  func next(where isWanted: (ServiceEvent) -> Bool) async -> ServiceEvent? {
    for await event in events where isWanted(event) { return event }
    return nil
  }

  /// Ends the service as systemd would.
  func stop() async throws {
    task.cancel()
    source.end()
    try await task.value
  }

  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "beacons-service-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// A program that uses the service, written against the bus alone.
final class ServiceProgram: Sendable {
  let program: BusProgram

  init(_ bus: PrivateBus, answering: @escaping BusProgram.Answering = { _ in nil }) async throws {
    program = try BusProgram(
      bus,
      following: [ServiceName.bus],
      takesDescriptors: true,
      answering: answering
    )
    _ = await program.next { if case .owner(_, .some) = $0 { true } else { false } }
  }

  @discardableResult
  func call(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue] = []
  ) async throws -> [DBusValue] {
    let call = MethodCall(ServiceName.bus, path, interface, member, arguments)
    return try await program.thread.call(call, timeout: .seconds(30))
  }

  /// Creates a session and returns its path.
  func session(_ label: String, signals: Bool = false, foreground: Bool = true) async throws
    -> String
  {
    let options = DBusValue.properties([
      "label": .string(label), "signals": .boolean(signals), "foreground": .boolean(foreground),
    ])
    let values = try await call(ServiceName.path, ServiceName.manager, "CreateSession", [options])
    return try #require(values.first?.text)
  }

  func own(_ path: String, _ member: String, _ arguments: [DBusValue] = []) async throws {
    try await call(path, ServiceName.session, member, arguments)
  }

  func admin(_ member: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
    try await call(ServiceName.path, ServiceName.admin, member, arguments)
  }

  /// Whether any client has a session, as an administrator sees it.
  func hasSessions() async throws -> Bool {
    let values = try await admin("ListClients")
    guard case .array(_, let clients)? = values.first else { return true }
    return clients.contains { client in
      guard case .structure(let members) = client, case .dictionary(_, let entries)? = members.last
      else { return true }
      return entries.contains {
        $0.key.text == "Sessions" && $0.value != .variant(.uint32(0))
      }
    }
  }

  func grant(_ client: String, _ grant: String, accuracy: String = "full") async throws {
    _ = try await admin(
      "SetGrant",
      [.string(client), .string(grant), .properties(["accuracy": .string(accuracy)])]
    )
  }

  func property(_ path: String, _ name: String) async throws -> DBusValue {
    let values = try await call(
      path,
      BusName.properties,
      "Get",
      [.string(ServiceName.session), .string(name)]
    )
    guard case .variant(let value)? = values.first else { return .string("?") }
    return value
  }

  /// Waits until a property has a value, told by the service.
  func wait(_ path: String, _ name: String, _ value: DBusValue) async throws {
    if try await property(path, name) == value { return }
    _ = await program.next { event in
      guard case .signal(path, "PropertiesChanged", let values) = event,
        case .dictionary(_, let entries) = values[1]
      else { return false }
      return entries.contains { $0.key.text == name && $0.value == .variant(value) }
    }
    #expect(try await property(path, name) == value)
  }

  /// Opens a stream.
  func stream(_ path: String, since: UInt64? = nil) async throws -> LineStream {
    let options: DBusValue = since.map { .properties(["since": .uint64($0)]) } ?? .properties([:])
    let values = try await call(path, ServiceName.session, "OpenStream", [options])
    guard case .descriptor(let descriptor)? = values.first, let number = descriptor.take() else {
      throw CallError.unexpectedAnswer(signature: "")
    }
    return LineStream(number)
  }

  static let uuid = "00000000-0000-0000-0000-000000000001"
  static var constraint: DBusValue { .properties(["uuid": .string(uuid)]) }
}

/// The reader's end of a stream, read on a thread of its own.
final class LineStream: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// How long a line is waited for, in milliseconds: a stream without the wanted one is a failure, not a wait for ever.
  private static let patience: Int32 = 90_000

  /// Reads lines until one is wanted, and returns all of them; without a wanted one, up to the end.
  func read(until isWanted: @escaping @Sendable (String) -> Bool) async -> [String] {
    let (lines, isEnded) = await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var lines: [String] = []
        var rest: [UInt8] = []
        var byte: UInt8 = 0
        var isEnded = true
        while true {
          var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          isEnded = unsafe poll(&ready, 1, Self.patience) == 1
          guard isEnded, unsafe Foundation.read(descriptor, &byte, 1) == 1 else { break }
          guard byte == 0x0A else {
            rest.append(byte)
            continue
          }
          lines.append(String(decoding: rest, as: UTF8.self))
          rest = []
          if isWanted(lines[lines.count - 1]) { break }
        }
        continuation.resume(returning: (lines, isEnded))
      }
    }
    if !isEnded { Issue.record("the stream is silent; its last line is \(lines.last ?? "none")") }
    return lines
  }
}
