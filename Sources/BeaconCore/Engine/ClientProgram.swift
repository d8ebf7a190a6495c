// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The program of a client: a value that answers what is delivered to it.
///
/// It has no clock and makes no requests by itself: it returns them, and they take effect at the time of the delivery. So it
/// gives the same answers in a live run and in a replay.
public protocol ClientProgram<Notice> {
  /// What the program has to say to its user.
  associatedtype Notice: Sendable

  /// Starts the program.
  ///
  /// - Parameter snapshot: What the client reads of its grants; `nil` for the operator, who may know everything.
  /// - Returns: Its first requests and notices.
  mutating func begin(_ snapshot: ClientSnapshot?) -> ProgramAnswer<Notice>

  /// Answers a delivery.
  mutating func answer(_ delivery: Delivery) -> ProgramAnswer<Notice>

  /// Answers what the user did with the program itself, such as to open or close it.
  mutating func answer(_ action: UserAction) -> ProgramAnswer<Notice>
}

/// What a program does in answer to something.
public struct ProgramAnswer<Notice: Sendable>: Sendable {
  /// What it asks of the engine, in order.
  public var requests: [ClientRequest]
  /// What it has to say to its user, in order.
  public var notices: [Notice]

  /// Creates an answer, by default none.
  public init(requests: [ClientRequest] = [], notices: [Notice] = []) {
    self.requests = requests
    self.notices = notices
  }
}

/// Where deliveries go beside the client: a file, a database, a broker.
///
/// It is called between two steps of a run, so it returns at once: it never waits for a disk, a network or a lock that
/// another thread holds for long. What it cannot handle yet it keeps in a queue of its own, which has a limit.
public protocol DeliverySink {
  /// Receives what was delivered, in order.
  mutating func receive(_ deliveries: [Delivery])

  /// How many deliveries were dropped because the sink's queue was full.
  var droppedDeliveries: Int { get }
}
