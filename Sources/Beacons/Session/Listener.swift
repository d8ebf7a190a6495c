// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that a client can be told: a delivery of the engine, or a word of the session itself.
enum ClientMessage: Sendable {
  /// A delivery, with the beacon that keeps its region inside where the client may know it.
  case delivery(Delivery, beacon: BeaconIdentity?)
  /// A condition that the session found.
  case notice(ClientDiagnostic)
}

/// One who is told a client's messages.
protocol Listener: AnyObject, Sendable {
  /// Takes a message, or leaves it.
  ///
  /// - Returns: Whether an older message had to be dropped for it.
  func offer(_ message: ClientMessage) -> Bool

  /// There will be no more messages.
  func finish()
}

/// A listener that keeps what it wants of a message in a mailbox.
final class BufferListener<Element: Sendable>: Listener {
  let buffer: DeliveryBuffer<Element>
  private let pick: @Sendable (ClientMessage) -> Element?
  private let supersedes: @Sendable (Element, Element) -> Bool

  init(
    _ buffer: DeliveryBuffer<Element>,
    supersedes: @escaping @Sendable (Element, Element) -> Bool = { _, _ in false },
    pick: @escaping @Sendable (ClientMessage) -> Element?
  ) {
    self.buffer = buffer
    self.pick = pick
    self.supersedes = supersedes
  }

  func offer(_ message: ClientMessage) -> Bool {
    guard let element = pick(message) else { return false }
    return buffer.put(element) { supersedes($0, element) }
  }

  func finish() { buffer.finish() }
}
