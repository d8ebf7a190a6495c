// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconTesting
@testable import CoreLocation
import Beacons
import Synchronization

/// Runs a scenario through location managers: programs ask by Apple's calls, and what their delegates are told is compared.
@MainActor
final class RoomRunner {
  private let scenario: Scenario
  private var managers: [CLLocationManager] = []
  private var services: [LocationService] = []
  private var delegates: [RoomCallbacks] = []

  init(_ scenario: RoomScenario) { self.scenario = scenario.scenario }

  func run() async throws -> ScenarioResult {
    let source = RoomSource(scenario) { step in await self.act(step) }
    let session = BeaconSession(source, configuration: scenario.configuration)
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let count = scenario.programs.count
    let waiting = Mutex(count)
    let left = Mutex(count)
    for (index, program) in scenario.programs.enumerated() {
      let service = LocationService(
        program.manifest,
        saved: SavedClient(authorization: program.state),
        configuration: scenario.configuration,
        open: {
          try await session.openMonitor(
            program.name,
            for: program.manifest,
            unlessKnown: SavedClient(authorization: program.state),
            keepingStateIn: nil,
            isForeground: program.isForeground
          )
        },
        // The last program that listens sets the timeline going.
        drive: { session in
          guard
            waiting.withLock({
              $0 -= 1; return $0 == 0
            })
          else { return }
          try await session.run()
        },
        ended: { _ in
          if left.withLock({
            $0 -= 1; return $0 == 0
          }) {
            ended.finish()
          }
        },
        write: { _ in }
      )
      // Programs are told one after another in the order of their connecting.
      _ = await service.opening.value
      let delegate = RoomCallbacks(service, index, startingAt: scenario.start)
      let manager = CLLocationManager(service)
      manager.delegate = delegate
      services.append(service)
      managers.append(manager)
      delegates.append(delegate)
    }
    for await _ in ends {}
    let told = delegates.flatMap(\.told).enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    return ScenarioVerdict(scenario, told: told, settings: [:]).result
  }

  private func act(_ step: ScenarioStep) async {
    switch step.action {
    case .person(let input, let client):
      guard let monitor = await services[client ?? 0].opening.value else { return }
      if client == nil {
        await monitor.client.session.person(input)
      } else {
        await monitor.client.person(input)
      }
    case .request(let request, let client):
      ask(request, of: managers[client], delegates[client])
      await services[client].courier.settled()
    case .report, .radio, .relaunch, .terminate: break
    }
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
    case .notify: break
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
