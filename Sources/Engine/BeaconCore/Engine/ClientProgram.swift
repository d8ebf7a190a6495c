// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The program of a client: a value that answers each delivery with requests and notices.
///
/// It has no clock and makes no requests by itself: it returns them, and they take effect at the time of the delivery.
/// So it gives the same answers in a live run and in a replay.
public protocol ClientProgram<Notice> {
  /// A message from the program to its user.
  associatedtype Notice: Sendable

  /// Starts the program.
  ///
  /// - Parameter snapshot: The client's view of its grants; `nil` for the operator, which has no limits.
  /// - Returns: Its first requests and notices.
  mutating func begin(_ snapshot: ClientSnapshot?) -> ProgramAnswer<Notice>

  /// Answers a delivery.
  mutating func answer(_ delivery: Delivery) -> ProgramAnswer<Notice>

  /// Answers a user's action with the program itself, such as opening or closing it.
  mutating func answer(_ action: UserAction) -> ProgramAnswer<Notice>
}

/// The requests and notices with which a program answers.
public struct ProgramAnswer<Notice: Sendable>: Sendable {
  /// The requests to the engine, in order.
  public var requests: [ClientRequest]
  /// The notices to the program's user, in order.
  public var notices: [Notice]

  /// Creates an answer; by default it is empty.
  public init(requests: [ClientRequest] = [], notices: [Notice] = []) {
    self.requests = requests
    self.notices = notices
  }
}
