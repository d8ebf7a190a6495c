// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconScenarios
@testable import Beacons
@testable import CoreLocation
import Synchronization

/// Runs a scenario through location managers: programs use Apple's calls, and the callbacks of their delegates are
/// compared, as are the machine's messages to the user.
@MainActor
final class RoomRunner {
  /// A program while its process runs.
  private struct Process {
    let service: LocationService
    let manager: CLLocationManager
    let delegate: RoomCallbacks
  }

  private let scenario: Scenario
  private let machineScenario: Scenario
  private var processes: [Process] = []
  /// The service sessions that programs hold, by their numbers.
  private var sessions: [Int: [UInt64: CLServiceSession]] = [:]
  /// All delegates that received callbacks, including those of ended processes.
  private var delegates: [RoomCallbacks] = []
  private var machines: [RoomMachine] = []
  private var settings: [Int: SettingsView] = [:]
  private var ended: AsyncStream<Void>.Continuation?
  /// The number of programs that do not listen yet; the last one that does starts the timeline.
  private let waiting: Mutex<Int>
  /// The number of processes whose deliveries are not complete.
  private let left = Mutex(0)

  init(_ scenario: RoomScenario) {
    self.scenario = scenario.callbacks
    machineScenario = scenario.machine
    waiting = Mutex(scenario.callbacks.programs.count)
  }

  /// Runs the scenario and returns the delegates' callbacks first, the machine's messages second.
  func run() async throws -> (callbacks: ScenarioResult, machine: ScenarioResult) {
    let source = RoomSource(
      machineScenario,
      act: { step in await self.act(step) },
      look: { expectation in await self.look(expectation) }
    )
    let session = BeaconSession(source, configuration: scenario.configuration)
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    left.withLock { $0 = scenario.programs.count }
    for (index, program) in scenario.programs.enumerated() {
      let state = SavedClient(authorization: program.state)
      // Programs receive deliveries one after another in the order in which they connected.
      let process = await launch(index, state, ended) {
        try await session.openMonitor(
          program.name,
          for: program.manifest,
          unlessKnown: state,
          keepingStateIn: nil,
          isForeground: program.isForeground
        )
      }
      processes.append(process)
    }
    for await _ in ends {}
    for machine in machines { await machine.toEnd() }
    // The source holds a reference to this and to the programs: without an end none of them would be released.
    defer { (processes, delegates, machines, sessions) = ([], [], [], [:]) }
    return (
      ScenarioVerdict(scenario, delivered: inOrder(delegates.flatMap(\.delivered)), settings: [:])
        .result,
      ScenarioVerdict(
        machineScenario,
        delivered: inOrder(machines.flatMap(\.delivered)),
        settings: settings
      ).result
    )
  }

  private func inOrder(_ delivered: [ScenarioRunner.Delivered]) -> [ScenarioRunner.Delivered] {
    delivered.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  /// Starts a program's process, with its client opened.
  private func launch(
    _ index: Int,
    _ saved: SavedClient,
    _ ended: AsyncStream<Void>.Continuation,
    _ open: @escaping @Sendable () async throws -> BeaconMonitor
  ) async -> Process {
    let service = LocationService(
      scenario.programs[index].manifest,
      saved: saved,
      configuration: scenario.configuration,
      open: open,
      drive: { session in
        guard
          self.waiting.withLock({
            $0 -= 1; return $0 == 0
          })
        else { return }
        try await session.run(holding: nil)
      },
      ended: { _ in
        if self.left.withLock({
          $0 -= 1; return $0 == 0
        }) {
          ended.finish()
        }
      },
      write: { _ in }
    )
    // From here to the end without a suspension, so that nothing is delivered before all programs listen.
    if let client = await service.opening.value?.client {
      machines.append(RoomMachine(client, index, startingAt: scenario.start))
    }
    let delegate = RoomCallbacks(service, index, startingAt: scenario.start)
    let manager = CLLocationManager(service)
    manager.delegate = delegate
    delegates.append(delegate)
    return Process(service: service, manager: manager, delegate: delegate)
  }

  // MARK: Steps

  private func act(_ step: ScenarioStep) async {
    switch step.action {
    case .user(let input, let client):
      guard let monitor = await processes[client ?? 0].service.opening.value else { return }
      if client == nil {
        await monitor.client.session.perform(input)
      } else {
        await monitor.client.perform(input)
      }
    case .request(.notify(let notification), let client):
      // In Apple's system notifications belong to another framework; here they belong to the session.
      await processes[client].service.opening.value?.client.notify(notification)
    case .request(.stopNotifying(let region), let client):
      await processes[client].service.opening.value?.client.stopNotifying(region)
    case .request(let request, let client):
      declare(request, client)
      ask(request, of: processes[client].manager, processes[client].delegate)
      await processes[client].service.requestQueue.settled()
    case .relaunch(let client): await relaunch(client)
    case .terminate(let client):
      await processes[client].service.opening.value?.client.terminate()
    case .report, .radio: break
    }
  }

  /// Ends a program's process and starts another, which reads the state that the machine saved.
  private func relaunch(_ index: Int) async {
    guard let ended, let monitor = await processes[index].service.opening.value else { return }
    let (session, client) = (monitor.client.session, monitor.client.id)
    session.listeners.finish(client)
    left.withLock { $0 += 1 }
    processes[index] = await launch(index, session.saved(client), ended) { monitor }
    await processes[index].service.requestQueue.settled()
    await session.relaunch(client)
  }

  /// Holds a service session for a program, or releases it.
  private func declare(_ request: ClientRequest, _ client: Int) {
    switch request {
    case .authorize(.beginService(let session)):
      let goal: CLServiceSession.AuthorizationRequirement =
        switch session.goal {
        case .none: .none
        case .whenInUse: .whenInUse
        case .always: .always
        }
      sessions[client, default: [:]][session.id] = CLServiceSession(
        goal,
        session.fullAccuracyPurposeKey,
        of: processes[client].service,
        isImplicit: session.isImplicit
      )
    case .authorize(.endService(let id)): sessions[client]?[id] = nil
    default: break
    }
  }

  private func look(_ expectation: Int) async {
    guard let client = machineScenario.expectations[expectation].client else { return }
    settings[expectation] = await processes[client].service.opening.value?.client.snapshot?.settings
  }

  private func ask(
    _ request: ClientRequest,
    of manager: CLLocationManager,
    _ delegate: RoomCallbacks
  ) {
    switch request {
    case .range(let constraint, _):
      manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(constraint))
    case .stopRanging(let constraint):
      manager.stopRangingBeacons(satisfying: CLBeaconIdentityConstraint(constraint))
    case .monitor(let region, _): manager.startMonitoring(for: CLBeaconRegion(region))
    case .stopMonitoring(let identifier):
      manager.stopMonitoring(for: CLRegion(identifier: identifier.rawValue))
    case .requestState(let identifier):
      manager.requestState(for: CLRegion(identifier: identifier.rawValue))
    case .authorize(let request): authorize(request, of: manager, delegate)
    case .notify, .stopNotifying: break
    }
  }

  private func authorize(
    _ request: AuthorizationRequest,
    of manager: CLLocationManager,
    _ delegate: RoomCallbacks
  ) {
    switch request {
    case .whenInUse: manager.requestWhenInUseAuthorization()
    case .always: manager.requestAlwaysAuthorization()
    case .temporaryFull(let purpose):
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: purpose) { error in
        MainActor.assumeIsolated { delegate.completed(purpose, error) }
      }
    case .startSession:
      manager.allowsBackgroundLocationUpdates = true
      manager.startUpdatingLocation()
    case .stopSession: manager.stopUpdatingLocation()
    case .beginService, .endService: break
    }
  }
}

extension BeaconSession {
  /// Restarts a client's process, as a machine does; a session without one cannot do this.
  fileprivate func relaunch(_ client: ClientID) {
    core?.context.driver?.relaunch(client)
    deliverAll()
  }
}
