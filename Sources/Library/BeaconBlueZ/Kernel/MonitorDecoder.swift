// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// An adapter as the kernel describes it.
package struct MonitorAdapter: Sendable, Equatable {
  /// The adapter's number, as in `hci0`.
  package let number: UInt16
  /// Its address; `nil` until the kernel knows it.
  package var address: UInt64?
  /// Its name, such as `hci0`.
  package var name: String
  /// Whether it is switched on.
  package var isOpen: Bool

  /// Creates an adapter.
  package init(number: UInt16, address: UInt64?, name: String, isOpen: Bool = false) {
    self.number = number
    self.address = address
    self.name = name
    self.isOpen = isOpen
  }

  /// Whether it can be the adapter that BlueZ lists under an address, such as `AA:BB:CC:DD:EE:FF`.
  ///
  /// The bus may belong to another machine; then two adapters can have the same number and different addresses.
  package func mayHave(address text: String) -> Bool {
    guard let address else { return true }
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
    return UInt64(String(decoding: digits, as: UTF8.self), radix: 16) == address
  }
}

/// A scan of an adapter that the host started or ended.
package struct ScanChange: Sendable, Equatable {
  /// The adapter's number.
  package let adapter: UInt16
  /// Whether it started.
  package let isStart: Bool
  /// When.
  package let time: Timestamp
}

/// Turns the packets of the kernel's monitor channel into reports, and keeps a list of the adapters.
///
/// Packets are received one by one and decoded together, so that the bytes of a batch are one block, as they are from a
/// capture.
package struct MonitorDecoder: Sendable {
  private struct Event {
    let range: Range<Int>
    let receiver: UInt8
    let time: Timestamp
  }

  /// The most adapters to keep.
  ///
  /// The kernel numbers them from 0, and no machine has that many.
  private static let maximumAdapters = 256

  private var events = HCIEventDecoder()
  private var sink = ScanSink()
  private var block: [UInt8] = []
  private var pending: [Event] = []
  private var scans: [ScanChange] = []

  /// The present adapters, ordered by number.
  package private(set) var adapters: [MonitorAdapter] = []
  /// Packets that were malformed or cut.
  package private(set) var malformed = 0
  /// Reports from adapters whose reports are not wanted.
  package private(set) var unexpected = 0

  /// Creates a decoder without adapters.
  package init() {}

  /// Adds a packet.
  ///
  /// - Parameters:
  ///   - packet: The packet with its header.
  ///   - isCut: Whether the packet was longer than the bytes read.
  ///   - time: When the kernel received it.
  ///   - receiver: Returns an adapter's number in reports; `nil` if its reports are not wanted.
  package mutating func receive(
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
    case .command(let adapter, let range):
      guard let isStart = ScanWatch.startsScan(packet, in: range) else { return }
      scans.append(ScanChange(adapter: adapter, isStart: isStart, time: time))
    case .event(let adapter, let range):
      guard HCIEventDecoder.isAdvertisingReport(packet, in: range) else { return }
      guard let receiver = receiver(adapter) else {
        unexpected &+= 1
        return
      }
      let start = block.count
      for offset in range { block.append(packet[offset]) }
      pending.append(Event(range: start..<block.count, receiver: receiver, time: time))
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

  /// Returns the adapter with a number.
  package func adapter(_ number: UInt16) -> MonitorAdapter? {
    adapters.first { $0.number == number }
  }

  /// Returns the reports received since the last call.
  package mutating func drainBatch() -> ScanBatch {
    guard !pending.isEmpty else { return ScanBatch() }
    let bytes = block
    sink.begin(blockCount: bytes.count, expecting: pending.count)
    for event in pending {
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
    pending.removeAll(keepingCapacity: true)
    let (inputs, extra) = (sink.inputs, sink.extraBytes)
    return ScanBatch(bytes: extra.isEmpty ? bytes : bytes + extra, inputs: inputs)
  }

  /// Returns the scans that started or ended since the last call, in order.
  package mutating func drainScans() -> [ScanChange] {
    defer { scans = [] }
    return scans
  }

  private mutating func remove(_ number: UInt16) {
    adapters.removeAll { $0.number == number }
  }

  private mutating func change(_ number: UInt16, _ body: (inout MonitorAdapter) -> Void) {
    guard let index = adapters.firstIndex(where: { $0.number == number }) else { return }
    body(&adapters[index])
  }
}
