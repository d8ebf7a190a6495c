// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

/// A run whose engine is another process's.
struct RemoteEngineTests {
  private static let hall = Region("hall", .uuid(7))

  private static func client(regions: [Region] = []) -> RemoteEngine.Client {
    RemoteEngine.Client(
      status: .authorizedWhenInUse,
      accuracy: .full,
      isInUse: true,
      areServicesOn: true,
      regions: regions
    )
  }

  /// Makes its requests, and notes what it sees of the run.
  private final class Program: RunParticipant {
    var seen: [String] = []
    var wantsEnd = false

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins:
        run.engine.request(.monitor(RemoteEngineTests.hall), by: run.client)
        seen.append("begins")
      case .delivered(let deliveries):
        seen += deliveries.map { delivery in
          "\(delivery.recipient == .client(ClientID(number: 0))) at \(delivery.time == run.now)"
        }
        wantsEnd = !deliveries.isEmpty
      case .willWait:
        seen.append("waits")
        if wantsEnd { run.end() }
      case .sourceEnded: seen.append("ended")
      case .ended(let isComplete): seen.append("complete \(isComplete)")
      default: break
      }
    }
  }

  @Test func `a run waits for deliveries, passes them on, and ends as any run does`() throws {
    var engine = RemoteEngine(startingAt: TestScan.start)
    let client = engine.nextName()
    engine.opened(Self.client(), as: client)
    let program = Program()
    var core = RunCore(RunEngine(engine), policy: .live, participants: [program])
    core.context.client = client
    try core.begin()
    #expect(core.context.now == TestScan.start)
    let first = try core.advance()
    #expect(first == .deliveries)
    let asked = core.context.engine.remote?.drainCommands()
    #expect(asked == [.request(.monitor(Self.hall), by: client)])
    let regions = core.context.engine.regions(of: client)
    #expect(regions == [Self.hall])
    try core.receive(.authorization(.denied, .full), at: TestScan.at(2), to: client)
    let status = core.context.snapshot?.status
    #expect(status == .denied)
    let last = try core.advance()
    #expect(last == .ended)
    try core.finish(isComplete: true)
    #expect(
      program.seen == [
        "begins", "waits", "true at true", "waits", "ended", "complete true",
      ]
    )
  }

  @Test func `a shut down closes every client, and their regions stay with the other process`()
    throws
  {
    var engine = RemoteEngine(startingAt: TestScan.start)
    for _ in 0..<2 { engine.opened(Self.client(regions: [Self.hall]), as: engine.nextName()) }
    var core = RunCore(RunEngine(engine), policy: .live, waitsForPrograms: true)
    try core.end(.shutDown)
    while try core.advance() == .programs {}
    let commands = core.context.engine.remote?.drainCommands()
    #expect(commands == [.close(ClientID(number: 0)), .close(ClientID(number: 1))])
    let regions = core.context.engine.regions(of: ClientID(number: 1))
    #expect(regions == [Self.hall])
  }

  @Test func `what is delivered before a client is open counts, and a refused region is gone`() {
    var engine = RemoteEngine(startingAt: TestScan.start)
    let client = engine.nextName()
    _ = engine.receive(.authorization(.authorizedAlways, .full), at: TestScan.at(1), to: client)
    engine.opened(Self.client(regions: [Self.hall]), as: client)
    #expect(engine.clients[client]?.snapshot.status == .authorizedAlways)
    let refused = Event.failure(.regionMonitoringFailure, .region("hall"))
    let delivery = engine.receive(refused, at: TestScan.at(1), to: client)
    #expect(delivery.recipient == .client(client))
    #expect(engine.clients[client]?.regions == [])
  }

  /// Row C34.
  @Test func `visits follow from deliveries, and a limited client gets no visit`() {
    var engine = RemoteEngine(startingAt: TestScan.start)
    let client = engine.nextName()
    engine.opened(Self.client(regions: [Self.hall]), as: client)
    func receive(_ state: RegionState, at seconds: Double, _ origin: RegionStateOrigin = .observed)
    {
      let event = Event.regionState("hall", state, origin, .received)
      _ = engine.receive(event, at: TestScan.at(seconds), to: client)
    }
    receive(.inside, at: 1, .assumed)
    #expect(engine.clients[client]?.visits == [])
    receive(.inside, at: 2)
    receive(.unknown, at: 3)
    receive(.inside, at: 4)
    receive(.outside, at: 5)
    let visits = engine.clients[client]?.visits ?? []
    #expect(visits.map(\.arrival) == [TestScan.at(2)])
    #expect(visits.map(\.departure) == [TestScan.at(5)])
    let reduced = Event.authorization(.authorizedWhenInUse, .reduced)
    _ = engine.receive(reduced, at: TestScan.at(6), to: client)
    #expect(engine.clients[client]?.visits == [])
  }
}
