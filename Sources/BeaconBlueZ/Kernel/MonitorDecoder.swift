// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Turns the packets of the kernel's monitor channel into reports, and keeps which adapters there are.
///
/// Packets are taken one by one and decoded together, so that a batch's bytes are one block as from a capture.
package struct MonitorDecoder: Sendable {
  private struct Event {
    let range: Range<Int>
    let receiver: UInt8
    let time: Timestamp
  }

  /// The most adapters that are kept; the kernel numbers them from 0, and nobody has plugged in so many.
  private static let maximumAdapters = 256

  private var events = HCIEventDecoder()
  private var sink = ScanSink()
  private var block: [UInt8] = []
  private var waiting: [Event] = []

  /// The adapters there are, by number.
  package private(set) var adapters: [MonitorAdapter] = []
  /// Packets that were not what they said they are.
  package private(set) var malformed = 0
  /// Events of adapters that are not listened with.
  package private(set) var unexpected = 0

  /// Creates a decoder that knows of no adapter.
  package init() {}

  /// Takes a packet.
  ///
  /// - Parameters:
  ///   - packet: The packet with its header.
  ///   - isCut: Whether there was more of it than was read.
  ///   - time: When the kernel got it.
  ///   - receiver: The number that an adapter has in reports; `nil` for one that is not listened with.
  package mutating func take(
    _ packet: borrowing Span<UInt8>,
    isCut: Bool = false,
    at time: Timestamp,
    receiver: (UInt16) -> UInt8?
  ) {
    guard !isCut, let frame = MonitorFrame(packet) else {
      malformed &+= 1
      return
    }
    switch frame {
    case .event(let adapter, let range):
      guard HCIEventDecoder.isAdvertisingReport(packet, in: range) else { return }
      guard let receiver = receiver(adapter) else {
        unexpected &+= 1
        return
      }
      let start = block.count
      for offset in range { block.append(packet[offset]) }
      waiting.append(Event(range: start..<block.count, receiver: receiver, time: time))
    case .found(let adapter, let address, let name):
      remove(adapter)
      guard adapters.count < Self.maximumAdapters else { return }
      adapters.append(MonitorAdapter(number: adapter, address: address, name: name))
    case .gone(let adapter): remove(adapter)
    case .opened(let adapter): change(adapter) { $0.isOpen = true }
    case .closed(let adapter): change(adapter) { $0.isOpen = false }
    case .identified(let adapter, let address): change(adapter) { $0.address = address }
    case .note, .other: break
    }
  }

  /// The adapter of a number.
  package func adapter(_ number: UInt16) -> MonitorAdapter? {
    adapters.first { $0.number == number }
  }

  /// Returns the reports in what was taken since the last call.
  package mutating func drainBatch() -> ScanBatch {
    guard !waiting.isEmpty else { return ScanBatch() }
    let bytes = block
    sink.begin(blockCount: bytes.count, expecting: waiting.count)
    for event in waiting {
      events.decode(
        bytes.span,
        in: event.range,
        receiver: event.receiver,
        at: event.time,
        into: &sink
      )
    }
    malformed &+= sink.drops[.malformedEvent]
    sink.drops = Tally()
    block = []
    waiting.removeAll(keepingCapacity: true)
    let (inputs, extra) = (sink.inputs, sink.extraBytes)
    return ScanBatch(bytes: extra.isEmpty ? bytes : bytes + extra, inputs: inputs)
  }

  private mutating func remove(_ number: UInt16) {
    adapters.removeAll { $0.number == number }
  }

  private mutating func change(_ number: UInt16, _ body: (inout MonitorAdapter) -> Void) {
    guard let index = adapters.firstIndex(where: { $0.number == number }) else { return }
    body(&adapters[index])
  }
}
