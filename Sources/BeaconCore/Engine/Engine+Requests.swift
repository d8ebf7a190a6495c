// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Carries out a client's request, at the point of the timeline the engine stands at.
  ///
  /// A client that does not exist is ignored.
  public mutating func request(
    _ request: ClientRequest,
    by client: ClientID,
    into out: inout [Delivery]
  ) {
    guard clients.indices.contains(Int(client.number)) else { return }
    switch request {
    case .range(let constraint): startRanging(constraint, for: Int(client.number))
    case .stopRanging(let constraint): stopRanging(constraint, for: Int(client.number))
    }
  }

  private mutating func startRanging(_ constraint: IdentityConstraint, for client: Int) {
    guard !clients[client].ranges(constraint) else { return }
    let number = ranging.subscribe(to: constraint, at: now, tracks: &tracks)
    clients[client].add(
      Client.Ranging(constraint: constraint, number: number, startedAt: now)
    )
  }

  private mutating func stopRanging(_ constraint: IdentityConstraint, for client: Int) {
    guard clients[client].remove(constraint) else { return }
    ranging.unsubscribe(from: constraint)
  }
}
