// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import Beacons
import CommandTestSupport
import Foundation
import Synchronization
import SystemKit
import Testing

/// Which runs of a client go through the service, and what is refused there.
@Suite struct ServedRunTests {
  /// An engine in another process that knows no zones, and notes what is asked of it.
  private final class OtherEngine: Sendable {
    let isConnected = Mutex(false)
    let commands = Mutex<[RemoteEngine.Command]>([])
    let isStopped = Mutex(false)

    var connection: RemoteConnection {
      RemoteConnection(
        open: { [events] opening in
          for (event, time) in events { opening.deliver(event, time) }
          return RemoteEngine.Client(
            status: .authorizedAlways,
            accuracy: .full,
            isInUse: true,
            areServicesOn: true,
            regions: []
          )
        },
        refusal: { request in
          guard case .monitor(let region, _) = request, region.zone != nil else { return nil }
          return "region '\(region.identifier)' has a zone"
        },
        send: { command in self.commands.withLock { $0.append(command) } },
        stop: { self.isStopped.withLock { $0 = true } }
      )
    }

    /// What is delivered as soon as the client is open.
    let events: [(Event, Timestamp)]
    init(_ events: [(Event, Timestamp)] = []) { self.events = events }
  }

  /// A run beside a service.
  private struct Served {
    let run: CommandRun
    /// Whether the run connected to the service.
    let isServed: Bool
    /// What the service was asked for.
    let commands: [RemoteEngine.Command]
    let isStopped: Bool

    /// The regions that the service was asked to monitor.
    var regions: [Region] {
      commands.compactMap {
        if case .request(.monitor(let region, _), _) = $0 { region } else { nil }
      }
    }

    /// - Parameters:
    ///   - arguments: The arguments of the command.
    ///   - events: What the service delivers.
    ///   - isInterrupted: Whether the user stops the run.
    init(
      _ arguments: [String],
      delivering events: [(Event, Timestamp)] = [],
      isInterrupted: @escaping @Sendable () -> Bool = { true }
    ) async throws {
      let engine = OtherEngine(events)
      let standings = try Mailbox<ClientService.Standing>()
      standings.put(ClientService.Standing(key: "user:anna/guide", limit: nil))
      @Sendable nonisolated(nonsending) func connect(
        _ io: CommandIO
      ) async throws -> ClientService.Connection? {
        engine.isConnected.withLock { $0 = true }
        return ClientService.Connection(
          name: "the service",
          engine: engine.connection,
          standings: standings
        )
      }
      @Sendable nonisolated(nonsending) func administer(
        _ work: ClientService.Administration,
        _ arguments: ParsedArguments,
        _ io: CommandIO
      ) async throws -> ClientService.Grants? { nil }
      @Sendable nonisolated(nonsending) func describe(_ io: CommandIO) async -> String { "" }
      let service = ClientService(
        connect: connect,
        options: [],
        administer: administer,
        replay: { _, _, _ in .software },
        describe: describe
      )
      let elsewhere = AdditionalSource(networkAt: { $0.hasPrefix("elsewhere:") }) {
        _,
        _ in { _ in throw CommandFailure(.noInput, "no such place") }
      }
      let home = try ScratchFolder()
      let state = home.path("state")
      // Away from the threads of tasks, of which the run needs one.
      run = await withCheckedContinuation { waiter in
        Thread.detachNewThread {
          waiter.resume(
            returning: CommandRun(
              of: Program(sources: [elsewhere], service: service),
              arguments,
              environment: ["XDG_STATE_HOME": state],
              isInterrupted: isInterrupted
            )
          )
        }
      }
      isServed = engine.isConnected.withLock(\.self)
      commands = engine.commands.withLock(\.self)
      isStopped = engine.isStopped.withLock(\.self)
    }
  }

  private static let monitor = [
    "monitor", "--client", "guide", "--region", "statue=F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/2",
  ]

  /// Row P14.
  @Test func `a region that the service cannot monitor as it is ends the run, with what to do`()
    async throws
  {
    let folder = try ScratchFolder()
    let zone = try folder.write(
      "{ regions: { statue: { enterWithin: 3, leaveBeyond: 4.5 } } }",
      to: "zone.json5"
    )
    let refused = try await Served(Self.monitor + ["--config", zone])
    #expect(refused.run.code == .unavailable)
    #expect(refused.run.errors.contains("region 'statue' has a zone; --direct receives without"))
    #expect(refused.regions == [])
    let served = try await Served(Self.monitor)
    #expect(served.isServed && served.regions.map(\.identifier) == ["statue"])
  }

  @Test(arguments: [
    ["--direct"], ["--set", "region.exit=5"], ["--profile", "coreLocation14"],
  ])
  func `a run with an engine of its own is not the service's`(_ option: [String]) async throws {
    let own = try await Served(Self.monitor + option)
    #expect(!own.isServed)
    // The account has granted nothing, and no user can be asked.
    #expect(own.run.code == .notPermitted, "\(own.run.errors)")
  }

  @Test func `a client's run from another source is not the service's`() async throws {
    let answers = try ScratchFolder()
    let manifest = try answers.write("{ whenInUse: 'w' }", to: "manifest.json5")
    let other = try await Served(
      Self.monitor + ["--manifest", manifest, "--from", "elsewhere:home"]
    )
    #expect(!other.isServed)
  }

  @Test func `a served run writes what is delivered, asks for permission, and leaves nothing`()
    async throws
  {
    let why = Explanation(identity: nil, reports: 1, threshold: .reports(1), rule: .firstReport)
    let time = Timestamp(microseconds: 1_700_000_000_000_000)
    // The first wait shows what was delivered before it; the user stops the run at the next.
    let waits = Mutex(0)
    let served = try await Served(
      Self.monitor + ["--format", "jsonl"],
      delivering: [(.regionEntered("statue", .received, why), time)]
    ) {
      waits.withLock { waits in
        waits += 1
        return waits > 1
      }
    }
    #expect(served.run.output.contains("region.enter"))
    #expect(served.run.errors.contains("the service serves user:anna/guide"))
    let client = ClientID(number: 0)
    let region = try #require(served.regions.first)
    #expect(
      served.commands == [
        .request(.monitor(region), by: client), .request(.authorize(.whenInUse), by: client),
        .request(.stopMonitoring("statue"), by: client), .close(client),
      ]
    )
    #expect(served.isStopped)
  }
}
