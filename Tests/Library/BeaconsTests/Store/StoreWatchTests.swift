// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Foundation
import Synchronization
import Testing

@testable import Beacons

/// Changes by another program of the same account reach a running session.
@Suite(.timeLimit(.minutes(1)))
struct StoreWatchTests {
  /// A live source on which nothing happens until it is ended.
  private actor QuietSource: ScanSource {
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasEnded = false

    var now: Timestamp { Timeline.start }
    var receiverNames: [String] { [] }

    func next(until deadline: Timestamp?) async throws -> ScanBatch? {
      if !hasEnded { await withCheckedContinuation { waiter = $0 } }
      return nil
    }

    func end() {
      hasEnded = true
      waiter.take()?.resume()
    }
  }

  private let folder = StoreFolder()

  @Test func `auth set and auth services reach a running session within a second`() async throws {
    try folder.set(.whenInUse)
    let source = QuietSource()
    let recording = folder.path + "/run.jsonl"
    let session = BeaconSession(
      source,
      recording: Recording(path: recording),
      followingSwitchOf: folder.store
    )
    let monitor = try await session.openMonitor(
      "guide",
      for: Museum.manifest,
      keepingStateIn: folder.store
    )
    let other = try await session.connect(
      Museum.manifest,
      named: "other",
      restoring: SavedClient(authorization: SavedAuthorization(grant: .always))
    )
    let changes = monitor.client.authorizationChanges
    let others = other.authorizationChanges
    let running = Task { try await session.run() }
    var iterator = changes.makeAsyncIterator()
    var otherIterator = others.makeAsyncIterator()
    func next() async -> AuthorizationStatus? { await iterator.next()?.status }
    try folder.set(.always)
    #expect(await next() == .authorizedAlways)
    try folder.store.setServices(on: false)
    #expect(await next() == .denied)
    #expect(await otherIterator.next()?.status == .denied)
    try folder.store.setServices(on: true)
    #expect(await next() == .authorizedAlways)
    #expect(await otherIterator.next()?.status == .authorizedAlways)
    try folder.write(#"{"version":1,"services":false}"#, to: "root/machine.json")
    #expect(await next() == .denied)
    #expect(await otherIterator.next()?.status == .denied)
    try folder.write(#"{"version":1,"services":true}"#, to: "root/machine.json")
    #expect(await next() == .authorizedAlways)
    try folder.set(.denied)
    #expect(await next() == .denied)
    #expect(StoreKeeper.lookInterval == .milliseconds(250))
    await source.end()
    try await running.value
    await monitor.close()
    let lines = try String(contentsOfFile: recording, encoding: .utf8)
    #expect(lines.matches(of: /"input":"services"/).count == 4)
    #expect(lines.matches(of: /"input":"settings"/).count == 2)
    // The session does not write another program's changes back over them.
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.grants().0.servicesOn)
  }

  @Test func `services that are off when a live session begins are off for all its clients`()
    async throws
  {
    try folder.store.setServices(on: false)
    let session = BeaconSession(QuietSource(), followingSwitchOf: folder.store)
    let client = try await session.connect(Museum.manifest, granted: .authorizedAlways)
    #expect(await client.snapshot?.status == .denied)
  }

  /// The client of a session over the store, with a monitor of its own or without one.
  private func notices(ofMonitor isMonitor: Bool, _ count: Int) async throws -> [ClientDiagnostic] {
    let session = BeaconSession(QuietSource(), followingSwitchOf: folder.store)
    var monitor: BeaconMonitor?
    let client: BeaconClient
    if isMonitor {
      let opened = try await session.openMonitor(
        "guide",
        for: Museum.manifest,
        keepingStateIn: folder.store
      )
      (monitor, client) = (opened, opened.client)
    } else {
      client = try await session.connect(Museum.manifest)
    }
    var notices: [ClientDiagnostic] = []
    for await notice in client.diagnostics {
      notices.append(notice)
      if notices.count == count { break }
    }
    await monitor?.close()
    return notices
  }

  @Test func `a switch that cannot be read is a notice for a client without a monitor`()
    async throws
  {
    try folder.write("damaged", to: "machine.json")
    let notice = try await notices(ofMonitor: false, 1).first
    guard case .switchUnreadable(let path, _) = notice else {
      Issue.record("\(String(describing: notice))")
      return
    }
    #expect(path == folder.path + "/machine.json")
  }

  @Test func `a switch that breaks while the session runs is a notice`() async throws {
    let session = BeaconSession(QuietSource(), followingSwitchOf: folder.store)
    let client = try await session.connect(Museum.manifest)
    try folder.write("damaged", to: "machine.json")
    for await notice in client.diagnostics {
      guard case .switchUnreadable = notice else { continue }
      return
    }
    Issue.record("no notice of the switch")
  }

  @Test func `what a command says of a client's files is a notice for a program`() async throws {
    try folder.write("damaged", to: "clients/guide/grants.json")
    guard case .stateSetAside(let path, _) = try await notices(ofMonitor: true, 1).first else {
      Issue.record("no notice of damaged grants")
      return
    }
    #expect(path.hasSuffix("clients/guide/grants.json.damaged-1"))
    try folder.write(#"{"version":99}"#, to: "clients/guide/state.json")
    let newer = try await notices(ofMonitor: true, 1)
    #expect(
      newer == [.stateOfNewerVersion(path: folder.path + "/clients/guide/state.json", version: 99)]
    )
  }

  @Test func `a replay neither reads nor writes the account's own store`() async throws {
    try folder.store.setServices(on: false)
    try folder.set(.denied, "museum")
    let before = try folder.text("clients/museum/grants.json")
    let events = try await MonitorTests.visit(
      Timeline(MonitorTests.walk, of: Museum.hall),
      keepingStateIn: folder.store
    )
    #expect(events.count == 6)
    #expect(!folder.exists("clients/museum/state.json"))
    #expect(try folder.text("clients/museum/grants.json") == before)
  }

  @Test func `of two decisions at the same time the stored one holds in both`() async throws {
    let client = ClientFiles("guide", in: folder.store)
    _ = try await client.open()
    try folder.set(.denied)
    client.save(SavedAuthorization(grant: .always))
    await client.flush()
    #expect(folder.grants().0.grant == .denied)
    #expect(await ClientFiles.replaced(among: [client]).count == 1)
    #expect(await client.look() == [.settings(authorization: .never, precise: nil)])
    #expect(await client.look().isEmpty)
    #expect(await ClientFiles.replaced(among: [client]).isEmpty)
  }

  @Test(arguments: [1, 5, 40]) func `of many clients each is looked at within a second`(
    count: Int
  ) async throws {
    let keeper = StoreKeeper(isLive: true)
    for number in 0..<count {
      let files = ClientFiles("client\(number)", in: folder.store)
      _ = try await files.open()
      let id = ClientID(number: UInt32(number))
      keeper.add(StoreKeeper.Client(id: id, name: "client\(number)", files: files))
    }
    let changed = Set([0, count / 2, count - 1].map { "client\($0)" })
    for name in changed { try folder.set(.denied, name) }
    var due: [ClientFiles] = []
    for _ in 0..<4 {
      let next = keeper.nextToLook()
      #expect(next.count <= max(4, count / 4 + 1))
      due += next
    }
    #expect(Set(due.compactMap(\.name)).count == count)
    #expect(Set(await ClientFiles.replaced(among: due).compactMap(\.name)) == changed)
  }

  /// The most threads that this process has had since it was asked to count.
  private final class ThreadCount: Sendable {
    private let state = Mutex((most: 0, isOver: false))

    static var now: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    init() {
      Thread.detachNewThread { [self] in
        while !state.withLock(\.isOver) {
          let count = Self.now
          state.withLock { $0.most = max($0.most, count) }
        }
      }
    }

    func end() -> Int {
      state.withLock { state in
        state.isOver = true
        return state.most
      }
    }
  }

  /// Other accounts choose how many clients a service has, and a limit of threads must not stop its end.
  @Test func `many clients are written by few threads`() async {
    await #expect(processExitsWith: .success) {
      let folder = StoreFolder()
      let source = QuietSource()
      let session = BeaconSession(source, followingSwitchOf: folder.store)
      let names = (0..<64).map { "guide\($0)" }
      for name in names {
        let monitor = try await session.openMonitor(
          name,
          for: Museum.manifest,
          granted: .authorizedAlways,
          keepingStateIn: folder.store
        )
        await monitor.client.request(.monitor(Museum.hallRegion))
      }
      let running = Task { try await session.run() }
      try await Task.sleep(for: .milliseconds(100))
      let before = ThreadCount.now
      let count = ThreadCount()
      await session.perform(.services(on: false))
      await session.perform(.services(on: true))
      await session.stop()
      await source.end()
      try await running.value
      #expect(count.end() <= before + 8)
      for name in names { #expect(folder.exists("clients/\(name)/state.json")) }
    }
  }
}
