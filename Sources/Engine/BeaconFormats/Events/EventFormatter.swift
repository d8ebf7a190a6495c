// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Turns deliveries into the bytes of one output format.
package protocol EventFormatter {
  /// The bytes made since the last ``removeAll()``.
  var bytes: [UInt8] { get }
  /// Forgets the bytes, once they are out.
  mutating func removeAll()
  /// Names receivers that were not known at the start.
  mutating func name(receivers: [String])
  /// Adds a delivery.
  mutating func append(_ delivery: Delivery)
  /// Adds deliveries from an index on until there are so many bytes, and returns the index of the next delivery.
  ///
  /// The default adds one after the other. One call for many takes a formatter out of its box once.
  mutating func append(_ deliveries: [Delivery], from first: Int, until count: Int) -> Int
  /// Adds what closes the output.
  mutating func end()
}

extension EventFormatter {
  package mutating func append(_ deliveries: [Delivery], from first: Int, until count: Int) -> Int {
    // The span of an empty array traps in a statically linked program if elements are aligned to 16 bytes.
    guard first < deliveries.count else { return first }
    var index = first
    let deliveries = deliveries.span
    while index < deliveries.count, bytes.count < count {
      append(deliveries[index])
      index += 1
    }
    return index
  }

  package mutating func end() {}
}

extension EventLineWriter: EventFormatter {}
extension EventCSVWriter: EventFormatter {}

/// One JSON array of the objects that the lines hold.
package struct JSONArrayFormatter: EventFormatter {
  private var lines: EventLineWriter
  package private(set) var bytes: [UInt8] = [UInt8(ascii: "[")]
  private var isEmpty = true

  package init(_ names: EventNames) {
    lines = EventLineWriter(names)
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func name(receivers: [String]) {
    lines.name(receivers: receivers)
  }

  package mutating func append(_ delivery: Delivery) {
    lines.removeAll()
    lines.append(delivery)
    for line in lines.bytes.split(separator: 0x0A) {
      bytes.append(contentsOf: isEmpty ? [0x0A] : [UInt8(ascii: ","), 0x0A])
      bytes.append(contentsOf: line)
      isEmpty = false
    }
  }

  package mutating func end() {
    bytes.append(
      contentsOf: isEmpty ? [UInt8(ascii: "]"), 0x0A] : [0x0A, UInt8(ascii: "]"), 0x0A]
    )
  }
}
