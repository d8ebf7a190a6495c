// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A message to a client: a delivery of the engine, or a notice of the session.
enum ClientMessage: Sendable {
  /// A delivery, with the beacon that keeps its region inside if the client may know it.
  case delivery(Delivery, beacon: BeaconIdentity?)
  /// A condition that the session found.
  case notice(ClientDiagnostic)
  /// The user tapped a notification of the client.
  case tapped(RegionIdentifier, at: Timestamp)
}

/// Receives a client's messages.
protocol Listener: AnyObject, Sendable {
  /// Offers a message, which the listener keeps or ignores.
  ///
  /// - Returns: Whether an older message was dropped to make room.
  func offer(_ message: ClientMessage) -> Bool

  /// Tells the listener that there will be no more messages.
  func finish()
}

/// A listener that picks an element from each message and keeps it in a buffer.
final class BufferListener<Element: Sendable>: Listener {
  let buffer: DeliveryBuffer<Element>
  private let pick: @Sendable (ClientMessage) -> Element?
  private let supersedes: @Sendable (Element, Element) -> Bool
  private let isTick: @Sendable (Element) -> Bool

  init(
    _ buffer: DeliveryBuffer<Element>,
    supersedes: @escaping @Sendable (Element, Element) -> Bool = { _, _ in false },
    isTick: @escaping @Sendable (Element) -> Bool = { _ in false },
    pick: @escaping @Sendable (ClientMessage) -> Element?
  ) {
    self.buffer = buffer
    self.pick = pick
    self.supersedes = supersedes
    self.isTick = isTick
  }

  func offer(_ message: ClientMessage) -> Bool {
    guard let element = pick(message) else { return false }
    return buffer.put(element, supersedes: { supersedes($0, element) }, isTick: isTick)
  }

  func finish() { buffer.finish() }
}
