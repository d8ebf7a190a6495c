// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A connection to the engine of another process, such as the service's.
///
/// A session or a run uses it in place of a source and a driver. Nothing but opening a client waits for the other
/// process.
package struct RemoteConnection: Sendable {
  /// A client to open.
  package struct Opening: Sendable {
    /// The client's name in this process.
    package var client: ClientID
    /// The client's name for the other process.
    package var name: String
    /// What the program says of itself.
    package var manifest: Manifest
    /// Whether the client starts in the foreground.
    package var isForeground: Bool
    /// Receives what the other engine's gate lets through, in order, on a thread of the connection; without a time for
    /// what the connection itself found.
    package var deliver: @Sendable (Event, Timestamp?) -> Void
    /// Receives whether the other process is there.
    package var notice: @Sendable (ClientDiagnostic) -> Void
    /// Receives the region of a notification that the user tapped, and when.
    package var tapped: @Sendable (RegionIdentifier, Timestamp) -> Void

    package init(
      client: ClientID,
      name: String,
      manifest: Manifest,
      isForeground: Bool,
      deliver: @escaping @Sendable (Event, Timestamp?) -> Void,
      notice: @escaping @Sendable (ClientDiagnostic) -> Void = { _ in },
      tapped: @escaping @Sendable (RegionIdentifier, Timestamp) -> Void = { _, _ in }
    ) {
      self.client = client
      self.name = name
      self.manifest = manifest
      self.isForeground = isForeground
      self.deliver = deliver
      self.notice = notice
      self.tapped = tapped
    }
  }

  /// Opens a client; returns what the other process knows of it, or throws why it cannot be opened.
  package let open: @Sendable (Opening) async throws -> RemoteEngine.Client
  /// Returns why the other process cannot do a request as it is; `nil` if it can.
  package let refusal: @Sendable (ClientRequest) -> String?
  /// Sends a command; one that is refused fails.
  package let send: @Sendable (RemoteEngine.Command) -> Void
  /// Closes the connection.
  package let stop: @Sendable () async -> Void

  package init(
    open: @escaping @Sendable (Opening) async throws -> RemoteEngine.Client,
    refusal: @escaping @Sendable (ClientRequest) -> String?,
    send: @escaping @Sendable (RemoteEngine.Command) -> Void,
    stop: @escaping @Sendable () async -> Void
  ) {
    self.open = open
    self.refusal = refusal
    self.send = send
    self.stop = stop
  }
}

/// The connection of a session, and what comes from there until the session handles it.
struct RemoteFeed: Sendable {
  enum Arrival: Sendable {
    case delivery(Event, Timestamp?, ClientID)
    case notice(ClientDiagnostic, ClientID)
    case tapped(RegionIdentifier, Timestamp, ClientID)
    /// A sequence was released, and left a request.
    case request
  }

  let connection: RemoteConnection
  let arrivals: AsyncStream<Arrival>
  let arrive: @Sendable (Arrival) -> Void

  init(_ connection: RemoteConnection) {
    self.connection = connection
    let (arrivals, continuation) = AsyncStream<Arrival>.makeStream()
    self.arrivals = arrivals
    arrive = { continuation.yield($0) }
  }
}

extension BeaconSession {
  /// Whether the session's engine is another process's.
  package nonisolated var isRemote: Bool { remote != nil }

  /// Connects a client to the engine.
  ///
  /// - Parameters:
  ///   - manifest: What the program says of itself; `nil` for the operator.
  ///   - name: The client's name for another process.
  ///   - saved: What the client is restored from.
  ///   - isForeground: Whether the client starts in the foreground.
  /// - Returns: The client; `nil` before the engine has started.
  /// - Throws: The error because of which another process does not open the client, which cannot be the operator; its name
  ///   is free again.
  func connectToEngine(
    _ manifest: Manifest?,
    named name: String,
    restoring saved: SavedClient,
    isForeground: Bool
  ) async throws -> ClientID? {
    guard let remote else {
      guard let manifest else { return core?.context.driver?.connect(restoring: saved.regions) }
      return core?.context.driver?.connect(manifest, restoring: saved, isForeground: isForeground)
    }
    guard let id = core?.context.engine.remote?.nextName() else { return nil }
    do {
      guard let manifest else { throw SessionError.reservedName(name) }
      let opening = RemoteConnection.Opening(
        client: id,
        name: name,
        manifest: manifest,
        isForeground: isForeground,
        deliver: { [arrive = remote.arrive] in arrive(.delivery($0, $1, id)) },
        notice: { [arrive = remote.arrive] in arrive(.notice($0, id)) },
        tapped: { [arrive = remote.arrive] in arrive(.tapped($0, $1, id)) }
      )
      let known = try await remote.connection.open(opening)
      core?.context.engine.remote?.opened(known, as: id)
    } catch {
      openNames[name] = nil
      throw error
    }
    return id
  }

  /// Sends what the clients asked of another process's engine.
  func sendCommands() {
    guard let remote else { return }
    for command in core?.context.engine.remote?.drainCommands() ?? [] {
      remote.connection.send(command)
    }
  }

  /// Delivers the taps that came before a client's program followed them, such as the one that opened the program.
  func followTaps(of client: ClientID) {
    for tap in earlyTaps.updateValue(nil, forKey: client).flatMap(\.self) ?? [] {
      listeners.deliver(tap, to: client)
    }
  }

  /// The most taps that wait for a program that does not follow them.
  private static let mostEarlyTaps = 64

  private func tapped(_ region: RegionIdentifier, at time: Timestamp, by client: ClientID) {
    let tap = ClientMessage.tapped(region, at: time)
    guard let early = earlyTaps[client, default: []] else {
      return listeners.deliver(tap, to: client)
    }
    earlyTaps[client] = Array((early + [tap]).suffix(Self.mostEarlyTaps))
  }

  /// Waits for what another process's engine delivers, or for a request that a sequence left.
  func receive() async throws {
    runDeferredRequests()
    guard let remote else { return }
    for await arrival in remote.arrivals {
      switch arrival {
      case .delivery(let event, let time, let client):
        return try core?.receive(event, at: time, to: client) ?? ()
      case .notice(let notice, let client): listeners.notify(notice, to: client)
      case .tapped(let region, let time, let client): tapped(region, at: time, by: client)
      case .request: return
      }
    }
  }
}
