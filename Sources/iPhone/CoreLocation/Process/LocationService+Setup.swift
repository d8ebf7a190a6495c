// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Glibc
internal import SystemKit

extension LocationService {
  /// Creates the service from the setup of the process.
  package convenience init(_ setup: LocationSetup, write: @escaping @Sendable (String) -> Void) {
    var trouble: String?
    var manifest = setup.manifest ?? Manifest()
    if setup.manifest == nil {
      do {
        manifest = try ManifestFile.ofProcess()?.manifest() ?? manifest
      } catch {
        trouble = "\(error)"
      }
    }
    let saved = setup.savedClient
    self.init(
      manifest,
      saved: saved,
      configuration: setup.configuration,
      circles: setup.circles,
      open: { [manifest] in
        if case .machine = setup.source, let service = await openService() {
          write("CoreLocation: the service of this machine receives for \(setup.name)")
          return try await BeaconSession(remote: service).openMonitor(
            ServiceLabel.of(setup.name),
            for: manifest
          )
        }
        let session = BeaconSession(
          try await setup.source.open(),
          configuration: setup.configuration,
          prompter: setup.prompter
        )
        let monitor = try await session.openMonitor(
          setup.name,
          for: manifest,
          unlessKnown: SavedClient(),
          keepingStateIn: setup.state,
          isForeground: true
        )
        for entry in setup.actions { await monitor.client.schedule(entry.input, after: entry.time) }
        return monitor
      },
      drive: {
        let hold = StartHold { write("CoreLocation: \(Self.holdNote)") }
        try await $0.run(holding: hold)
      },
      ended: { hasFailed in
        guard setup.atEnd == .exit else { return }
        // What the last callbacks, and the ends of sequences, have started runs first.
        _ = await ProcessRest.shared.begins()
        await MainActor.run {
          fflush(nil)
          exit(hasFailed ? 1 : 0)
        }
      },
      write: write
    )
    if let trouble { note(trouble) }
  }

  /// The message when a capture begins although the program has asked for nothing.
  package static let holdNote =
    "nothing was ranged or monitored for \(StartHold.bound.components.seconds) s; the capture begins"
}

extension LocationSetup {
  /// The saved state of the program, as its session will restore it.
  fileprivate var savedClient: SavedClient {
    var saved = SavedClient()
    // A replay or a simulation neither reads nor writes the account's own store.
    if let state, state.isKept(isReal: source.usesAccountStore) {
      saved = state.savedClient(of: name) ?? saved
    }
    if source.usesAccountStore {
      var notes: [ClientDiagnostic] = []
      saved.authorization.servicesOn =
        ClientStore().areServicesOn(notes: &notes) && saved.authorization.servicesOn
    }
    return saved
  }
}

extension LocationSetup.Source {
  fileprivate var usesAccountStore: Bool {
    switch self {
    case .machine, .bluetooth: true
    case .source(let source): source.usesAccountStore
    case .capture, .failing: false
    }
  }

  fileprivate func open() async throws -> any ScanSource {
    switch self {
    case .machine: return try await startBlueZ(adapter: nil)
    case .bluetooth(let adapter):
      return try await startBlueZ(adapter: adapter)
    case .capture(let path, let speed):
      let capture = try CaptureSource(path: path)
      guard let speed else { return capture }
      return PacedSource(capture, speed: speed, clock: ContinuousClock())
    case .source(let source): return source
    case .failing(let error): throw error
    }
  }
}

/// The name of a program for the service.
enum ServiceLabel {
  /// Returns a name with the letters, digits and signs that a label may have.
  static func of(_ name: String) -> String {
    let bytes = name.utf8.prefix(64).map { byte -> UInt8 in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: byte
      default: 0x5F
      }
    }
    return bytes.isEmpty ? "program" : String(decoding: bytes, as: UTF8.self)
  }
}

/// Connects to the service of the machine, or returns `nil`: `BeaconService` has this function under the same symbol.
@_silgen_name("beacons_open_service")
private nonisolated(nonsending) func openService() async -> RemoteConnection?

/// Starts a live source: `BeaconBlueZ` has this function under the same symbol.
///
/// This module links `BeaconBlueZ` and does not import it. An import would have to be loaded, with the C module of
/// libdbus, by every package of the same build that asks `canImport(CoreLocation)`.
@_silgen_name("beacons_start_bluez")
private nonisolated(nonsending) func startBlueZ(adapter: String?) async throws -> any ScanSource
