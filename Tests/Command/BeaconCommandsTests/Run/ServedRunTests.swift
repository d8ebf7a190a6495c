// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import Beacons
import CommandTestSupport
import Foundation
import Synchronization
import Testing

/// Which runs of a client go through the service, and what is refused there.
@Suite struct ServedRunTests {
  /// An engine in another process that knows no zones, and notes what is asked of it.
  private final class OtherEngine: RemoteEngine {
    let isConnected = Mutex(false)
    let requests = Mutex<[ClientRequest]>([])
    let now = Timestamp(microseconds: 1_700_000_000_000_000)
    let failure: (any Error)? = nil

    func open(
      _ client: ClientID,
      named name: String,
      _ manifest: Manifest,
      isForeground: Bool,
      deliver: @escaping @Sendable (Event, Timestamp) -> Void
    ) async throws -> RemoteClient {
      RemoteClient(
        status: .authorizedAlways,
        accuracy: .full,
        isInUse: true,
        areServicesOn: true,
        regions: []
      )
    }

    func refusal(of request: ClientRequest) -> String? {
      guard case .monitor(let region, _) = request, region.zone != nil else { return nil }
      return "region '\(region.identifier)' has a zone"
    }

    func request(_ request: ClientRequest, by client: ClientID) {
      requests.withLock { $0.append(request) }
    }

    func setForeground(_ isForeground: Bool, of client: ClientID) {}
    func close(_ client: ClientID) {}
    func stop() async {}
  }

  /// A run beside a service.
  private struct Served {
    let run: CommandRun
    /// Whether the run connected to the service.
    let isServed: Bool
    /// The regions that the service was asked to monitor.
    let regions: [Region]

    init(_ arguments: [String]) async throws {
      let engine = OtherEngine()
      @Sendable nonisolated(nonsending) func connect(
        _ io: CommandIO
      ) async throws -> ClientService.Connection? {
        engine.isConnected.withLock { $0 = true }
        return ClientService.Connection(
          name: "the service",
          engine: engine,
          standings: AsyncStream { $0.finish() }
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
              isInterrupted: { true }
            )
          )
        }
      }
      isServed = engine.isConnected.withLock(\.self)
      regions = engine.requests.withLock { requests in
        requests.compactMap { if case .monitor(let region, _) = $0 { region } else { nil } }
      }
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
}
