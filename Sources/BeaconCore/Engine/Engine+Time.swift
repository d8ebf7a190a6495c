// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Lets time pass until just before an input with a stamp, and tells what falls due on the way.
  ///
  /// - Returns: Whether a client was told something and may answer before the input; call again after it has.
  @inline(__always)
  mutating func passTime(before stamp: Timestamp, into out: inout [Delivery]) -> Bool {
    let time = door.time(for: stamp)
    if time - door.lastInput > configuration.timing.gap {
      return passGap(to: time, into: &out)
    }
    guard let deadline = nextDeadline, deadline < time else { return false }
    return tellDeadlines(before: time, into: &out)
  }

  /// Tells the deadlines before a time, in order, until a client is told something.
  ///
  /// - Returns: Whether a client was told something.
  @inline(never)
  mutating func tellDeadlines(before time: Timestamp, into out: inout [Delivery]) -> Bool {
    while let deadline = nextDeadline, deadline < time {
      let told = tellTick(at: deadline, into: &out)
      door.told(deadline)
      if told { return true }
    }
    return false
  }

  /// Passes over a time in which the source said nothing, where it cannot be known what was in the air.
  @inline(never)
  private mutating func passGap(to time: Timestamp, into out: inout [Delivery]) -> Bool {
    let start = door.lastInput
    if tellDeadlines(before: start + TimeSpan(microseconds: 1), into: &out) { return true }
    ranging.skipTicks(to: time)
    door.heard(upTo: time)
    for client in clients {
      gate.tell(
        .diagnostic(.timeGap(from: start, to: time)),
        to: client.id,
        at: time,
        into: &out
      )
    }
    return !clients.isEmpty
  }

  /// Tells the next client the tick at a time.
  ///
  /// - Returns: Whether a client was told; if so the tick goes on with the client after it.
  private mutating func tellTick(at time: Timestamp, into out: inout [Delivery]) -> Bool {
    var next = ranging.beginTick(at: time, tracks: &tracks)
    while next < clients.count {
      let client = clients[next]
      next += 1
      ranging.toldClients = next
      let told = ranging.tick(for: client, at: time)
      if told.isEmpty { continue }
      gate.tell(.ranged(told), to: client.id, at: time, into: &out)
      return true
    }
    ranging.endTick(at: time)
    return false
  }
}
