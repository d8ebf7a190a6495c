// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import SystemKit

/// A run whose engine is another process's: it has no source and no driver, and waits for what is delivered.
///
/// It blocks its thread, as a ``Runner`` does.
package struct RemoteRun {
  private let connection: RemoteConnection
  private let engine: RemoteEngine
  private let arrivals: Mailbox<(event: Event, time: Timestamp?)>
  /// The run's client.
  private let client: ClientID

  /// Opens the run's client.
  ///
  /// - Parameters:
  ///   - connection: The connection to the other process.
  ///   - name: The client's name for the other process.
  ///   - manifest: What the run says of itself.
  /// - Throws: The error because of which the client cannot be opened.
  package init(
    _ connection: RemoteConnection,
    named name: String,
    _ manifest: Manifest
  ) async throws {
    let arrivals = try Mailbox<(event: Event, time: Timestamp?)>()
    var engine = RemoteEngine(startingAt: Timestamp(microseconds: WallTime.microseconds))
    client = engine.nextName()
    let opening = RemoteConnection.Opening(
      client: client,
      name: name,
      manifest: manifest,
      isForeground: true
    ) { arrivals.put(($0, $1)) }
    engine.opened(try await connection.open(opening), as: client)
    (self.connection, self.engine, self.arrivals) = (connection, engine, arrivals)
  }

  /// Runs until the user stops it.
  ///
  /// - Parameters:
  ///   - participants: Who takes part, in order.
  ///   - isInterrupted: Asked before each wait whether to stop.
  /// - Throws: The errors of the participants; each participant gets the end nevertheless.
  package func run(
    participants: [any RunParticipant],
    isInterrupted: () -> Bool
  ) throws {
    var core = RunCore(RunEngine(engine), policy: .live, participants: participants)
    core.context.client = client
    defer { sendCommands(&core) }
    do {
      try follow(&core, isInterrupted)
    } catch {
      try core.finish(isComplete: false)
      throw error
    }
    try core.finish(isComplete: true)
  }

  private func follow(_ core: inout RunCore, _ isInterrupted: () -> Bool) throws {
    let patience = Int32(Runner.usualPatience.microseconds / 1000)
    try core.begin()
    while true {
      sendCommands(&core)
      switch try core.advance() {
      case .deliveries where isInterrupted(): try core.end(.interrupted)
      case .deliveries:
        for (event, time) in arrivals.wait(milliseconds: patience) {
          try core.receive(event, at: time, to: client)
        }
      case .user: try core.waitForUser(within: nil)
      case .batch, .programs, .draining: continue
      case .ended: return
      }
    }
  }

  private func sendCommands(_ core: inout RunCore) {
    for command in core.context.engine.remote?.drainCommands() ?? [] { connection.send(command) }
  }
}
