// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import DBus

// What programs ask of their sessions.

extension ServiceMachine {
  /// Asks for authorization or accuracy; returns at once, whatever becomes of the question.
  package mutating func request(
    _ kind: String,
    _ options: ServiceOptions,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    let request: AuthorizationRequest
    switch kind {
    case "whenInUse": request = .whenInUse
    case "always": request = .always
    case "temporaryFull":
      guard let purpose = try options.text("purpose"), purpose.utf8.count <= quotas.textBytes else {
        throw .invalidOption
      }
      request = .temporaryFull(purpose: purpose)
    default: throw .invalidOption
    }
    actions.append(.request(client: session.client, .authorize(request)))
    // The reason why nothing will come is known at once, if nobody can be asked.
    refresh(session.client)
  }

  /// Moves a session to the foreground or the background.
  package mutating func setForeground(
    _ isForeground: Bool,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    sessions[number]?.isForeground = isForeground
    refreshForeground(session.client)
  }

  /// Starts ranging for a session.
  package mutating func startRanging(
    _ constraint: IdentityConstraint,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    guard !session.constraints.contains(constraint) else { return }
    guard session.constraints.count < quotas.constraints else { throw .limitExceeded }
    let isUsed = (clients[session.client]?.sessions ?? []).contains {
      sessions[$0]?.constraints.contains(constraint) ?? false
    }
    sessions[number]?.constraints.append(constraint)
    if !isUsed { actions.append(.request(client: session.client, .range(constraint))) }
  }

  /// Stops ranging for a session.
  package mutating func stopRanging(
    _ constraint: IdentityConstraint,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    guard session.constraints.contains(constraint) else { return }
    sessions[number]?.constraints.removeAll { $0 == constraint }
    stopRangingIfUnused(constraint, session.client)
  }

  /// Monitors a region for the session's client, also when the session has ended.
  package mutating func startMonitoring(
    _ region: String,
    _ constraint: IdentityConstraint,
    _ options: ServiceOptions,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    guard (1...quotas.regionBytes).contains(region.utf8.count) else { throw .invalidRegion }
    let identifier = RegionIdentifier(region)
    let known = clients[session.client]?.state?.regions ?? []
    guard known.contains(identifier) || known.count < quotas.regions else { throw .limitExceeded }
    let value = Region(
      identifier,
      constraint,
      notifyOnEntry: try options.boolean("entry") ?? true,
      notifyOnExit: try options.boolean("exit") ?? true
    )
    if !known.contains(identifier) { clients[session.client]?.state?.regions.append(identifier) }
    actions.append(.request(client: session.client, .monitor(value)))
  }

  /// Stops monitoring a region.
  package mutating func stopMonitoring(
    _ region: String,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    let identifier = RegionIdentifier(region)
    guard clients[session.client]?.state?.regions.contains(identifier) ?? true else {
      throw .unknownRegion
    }
    clients[session.client]?.state?.regions.removeAll { $0 == identifier }
    actions.append(.request(client: session.client, .stopMonitoring(identifier)))
  }

  /// Asks for a region's state.
  package mutating func requestState(
    _ region: String,
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try session(number, of: peer)
    let identifier = RegionIdentifier(region)
    guard clients[session.client]?.state?.regions.contains(identifier) ?? true else {
      throw .unknownRegion
    }
    actions.append(.request(client: session.client, .requestState(identifier)))
  }

  /// Opens a stream of a session.
  ///
  /// - Returns: The number of the stream and the client, and whether the client may know crossings now: only then what
  ///   it missed is sent again.
  package mutating func openStream(
    session number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) -> (stream: UInt32, client: String, mayKnow: Bool) {
    let session = try session(number, of: peer)
    guard session.streams.count < quotas.streams else { throw .limitExceeded }
    let stream = newStreamNumber()
    sessions[number]?.streams.append(stream)
    let state = clients[session.client]?.state
    let mayKnow = state.map { $0.status.isAuthorized && $0.accuracy == .full } ?? false
    return (stream, session.client, mayKnow)
  }

  /// Notes that a stream ended: its reader closed it, or it was too slow for what must not be lost.
  package mutating func ended(stream: UInt32) {
    for number in sessions.keys { sessions[number]?.streams.removeAll { $0 == stream } }
  }

  /// Closes a session for its owner.
  package mutating func closeSession(
    _ number: UInt32,
    by peer: ServicePeer
  ) throws(ServiceError) {
    _ = try session(number, of: peer)
    close(number)
  }
}
