// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import Testing

/// A program writes its events as the lines of the command, and a prompter knows who asks.
@Suite(.timeLimit(.minutes(1)))
struct ClientNewsTests {
  @Test func `a client's events are lines with its name, from each of its sequences`() async throws
  {
    let session = BeaconSession(try TimelineSource("--*--*-------"))
    let client = try await session.connect()
    let (deliveries, events, ticks) = (
      client.deliveries, client.regionEvents, client.ranging(satisfying: .uuid(1))
    )
    await client.startMonitoring(Region("hall", .uuid(1), exitTiming: .fixed(.seconds(5))))
    let lines = try await session.run {
      await withTaskGroup(of: [EventLine].self) { group in
        group.addTask {
          await deliveries.reduce(into: []) { $0.append(EventLine($1, client: client.name)) }
        }
        group.addTask {
          await events.reduce(into: []) { $0.append(EventLine($1, client: client.name)) }
        }
        group.addTask {
          await ticks.reduce(into: []) { $0.append(EventLine($1, client: client.name)) }
        }
        var all: [[EventLine]] = []
        for await lines in group { all.append(lines) }
        return all.sorted { $0.count > $1.count }
      }
    }
    let written = lines.map { Set($0.map(\.description)) }
    #expect(written[0].isSuperset(of: written[1].union(written[2])))
    #expect(written.allSatisfy { !$0.isEmpty })
    #expect(written[0].allSatisfy { $0.contains(#""client":"operator""#) })
    for line in lines[0] { #expect(try EventLine(parsing: "\(line)").time == line.time) }
  }

  @Test func `a prompter of closures knows the client's name`() async throws {
    let prompter = ClosurePrompter { prompt, client in
      PromptAnswer(client.name == "guide" && prompt.kind == .whenInUse ? .whileUsing : .dontAllow)
    }
    let session = BeaconSession(try TimelineSource("--*--*-------"), prompter: prompter)
    let manifest = Manifest(whenInUse: "To greet you.")
    let guide = try await session.connect(manifest, named: "guide")
    let other = try await session.connect(manifest)
    try await session.run {
      for client in [guide, other] {
        let changes = client.authorizationChanges
        await client.requestAuthorization(.whenInUse)
        for await _ in changes { break }
      }
    }
    #expect(await guide.snapshot?.status == .authorizedWhenInUse)
    #expect(await other.snapshot?.status == .denied)
    #expect(other.name == "client1")
  }

  @Test func `changes, prompts and a monitor's events are printed in words`() async throws {
    let prompter = ClosurePrompter { _, _ in PromptAnswer(.whileUsing) }
    let session = BeaconSession(try TimelineSource("--*--*-------"), prompter: prompter)
    let monitor = try await session.openMonitor(
      "hall",
      for: Manifest(whenInUse: "To greet you."),
      keepingStateIn: nil
    )
    await monitor.add(Region("hall", .uuid(1)))
    let (changes, prompts) = (monitor.client.authorizationChanges, monitor.client.prompts)
    try await session.run {
      await monitor.client.requestAuthorization(.whenInUse)
      let prompt = await prompts.first { _ in true }.map { "\($0)" } ?? ""
      #expect(prompt.hasSuffix("Z asked: To greet you. [whileUsing, once, dontAllow]"), "\(prompt)")
      let change = await changes.first { _ in true }.map { "\($0)" } ?? ""
      #expect(change.hasSuffix("Z location: allowed while in use, precise"), "\(change)")
      let event = await monitor.events.first { $0.state == .satisfied }.map { "\($0)" } ?? ""
      #expect(event == "2023-11-14T22:13:22.000000Z hall is satisfied: a beacon was received")
    }
  }

  @Test func `a name of a region is compared with a text`() {
    let (region, name) = (RegionIdentifier("hall"), String("hall"))
    #expect(region == name && region != "desk" && region == "hall")
    #expect([region].contains { $0 == name })
  }

  /// The errors of this module; each product's own have the same protocol.
  private static let errors: [any BeaconError] = [
    SessionError.alreadyRun, CalibrationError.offsetOutOfRange(50),
    IdentitySyntaxError.notAUUID("x"),
    EventLineError.otherType("x"), CaptureFormatError.unknownFormat(found: "x"),
    Zone.Fault.notADistance(-1),
  ]

  @Test(arguments: errors) func `an error is caught by name, with a sentence`(
    _ one: any BeaconError
  ) {
    do {
      throw one
    } catch let error as any BeaconError {
      #expect(error.localizedDescription == "\(error)" && "\(error)".contains(" "), "\(error)")
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func `news are printed in words`() async throws {
    let session = BeaconSession(try TimelineSource("--*--*-------"))
    let client = try await session.connect()
    let (events, ticks) = (client.regionEvents, client.ranging(satisfying: .uuid(1)))
    let hall = Region("hall", .uuid(1), exitTiming: .fixed(.milliseconds(5500)))
    await client.startMonitoring(hall, assuming: .outside)
    let first = try await session.run {
      await withTaskGroup(of: String.self) { group in
        group.addTask { await events.first { $0.isCrossing }.map { "\($0)" } ?? "" }
        group.addTask { await ticks.first { !$0.beacons.isEmpty }.map { "\($0)" } ?? "" }
        return await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
    }
    #expect(
      first == [
        "2023-11-14T22:13:22.000000Z entered hall by 1/1 at -60 dBm: the first report",
        "2023-11-14T22:13:22.000000Z 00000000-0000-0000-0000-000000000001/1/1 near 1.06 m",
      ]
    )
    #expect(
      "\(await client.visits)"
        == "[hall since 2023-11-14T22:13:22.000000Z and is still there]"
    )
    #expect("\(hall.exitTiming ?? .learned)" == "fixed(5.5 s)" && "\(TimeSpan.seconds(5))" == "5 s")
  }
}
