// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Handles a client's request at the engine's current time.
  ///
  /// A client that does not exist is ignored.
  mutating func request(
    _ request: ClientRequest,
    by client: ClientID,
    into out: inout [Delivery]
  ) {
    guard clients.element(client) != nil else { return }
    let index = Int(client.number)
    switch request {
    case .range(let constraint, let region):
      startRanging(constraint, whileInside: region, for: index, into: &out)
    case .stopRanging(let constraint): stopRanging(constraint, for: index, into: &out)
    case .monitor(let region, let assumed):
      let beginning = assumed.map(RegionBeginning.assumed) ?? .fresh
      monitor(region, from: beginning, for: index, into: &out)
    case .stopMonitoring(let identifier): stopMonitoring(identifier, for: index, into: &out)
    case .requestState(let identifier): answerState(of: identifier, to: index, into: &out)
    case .authorize(let request):
      let time = now
      step(index, at: time, into: &out) { $0.requested(request, at: time) }
    case .notify(let notification): notify(notification, for: index, into: &out)
    case .stopNotifying(let identifier):
      clients[index].oneTime.remove(identifier)
      end(identifier, in: .notified, for: index)
    }
  }

  private mutating func startRanging(
    _ constraint: IdentityConstraint,
    whileInside region: RegionIdentifier?,
    for client: Int,
    into out: inout [Delivery]
  ) {
    if let known = clients[client].index(of: constraint) {
      guard clients[client].rangings[known].whileInside != region else { return }
      stopRanging(constraint, for: client, into: &out)
    }
    if let code = clients[client].rules(at: now)?.rangingStartFailure {
      return gate.deliver(
        open: .failure(code, .constraint(constraint)),
        to: clients[client],
        at: now,
        into: &out
      )
    }
    let earlier = ranging.receivedThisSecond(of: tracks)
    let number = ranging.subscribe(to: constraint, at: now, tracks: &tracks)
    clients[client].add(
      Client.Ranging(constraint, number: number, at: now, earlier, whileInside: region)
    )
    emitRangingFailure(client, at: now, of: clients[client].index(of: constraint), into: &out)
    warnOfPowers(constraint, client, into: &out)
    registrationsChanged(client, into: &out)
  }

  private mutating func stopRanging(
    _ constraint: IdentityConstraint,
    for client: Int,
    into out: inout [Delivery]
  ) {
    guard clients[client].remove(constraint) else { return }
    ranging.unsubscribe(from: constraint)
    registrationsChanged(client, into: &out)
  }
}
