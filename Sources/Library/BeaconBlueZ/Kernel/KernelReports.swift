// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads the adapters' reports from the kernel's monitor channel, on the bus's thread.
///
/// It only reads; BlueZ starts the scan.
package struct KernelReports {
  /// The most packets to read before other work is done.
  package static let maximumReads = 4096
  /// How often to ask the kernel for the number of dropped packets.
  private static let dropsInterval = TimeSpan.seconds(1)
  /// The shortest silence between two packets that counts as lost time if packets were dropped: a third of the shortest
  /// exit time.
  package static let shortestHole = TimeSpan.seconds(1)

  /// A span of time without packets, because the kernel dropped them.
  package struct Hole: Sendable, Equatable {
    /// The time of the last packet before it.
    package var start: Timestamp
    /// The time of the first packet after it.
    package var end: Timestamp
  }

  /// The result of a read, besides the reports.
  package struct Reading: Sendable, Equatable {
    /// The time of the last packet read, if more packets are left; `nil` if all were read.
    package var more: Timestamp?
    /// How many packets the kernel has dropped since the previous question.
    package var dropped = 0
    /// The longest silence between two packets, if packets were dropped and it is at least ``shortestHole``.
    package var hole: Hole?
  }

  private let socket: MonitorSocket
  private var clock = MonitorClock()
  private var buffer = [UInt8](repeating: 0, count: MonitorSocket.longestPacket)
  private var dropsKnown: UInt32 = 0
  private var nextDropsCheck = Timestamp.earliest
  /// Whether packets were dropped after the last packet read.
  private var hasDropped = false
  /// The time of the last packet.
  private var lastPacket: Timestamp?
  /// Whether the last read left packets unread.
  package private(set) var isBehind = false
  /// When the channel was last empty: packets read later were received later.
  private var drained: Timestamp?
  /// The decoder of the packets.
  package private(set) var decoder = MonitorDecoder()

  /// Creates a reader of an open channel.
  package init(_ socket: MonitorSocket) {
    self.socket = socket
  }

  /// The descriptor to wait on.
  package var descriptor: Int32 { socket.descriptor }

  /// Reads the waiting packets.
  ///
  /// - Parameters:
  ///   - now: The time on the timeline.
  ///   - wall: The wall clock's time at `now`; `nil` if it could not be read exactly enough.
  ///   - limit: The most packets to read.
  ///   - readClocks: Reads both clocks again, in case a packet is much later than `now`.
  ///   - receiver: Returns an adapter's number in reports; `nil` if its reports are not wanted.
  /// - Returns: The result, besides the reports.
  package mutating func read(
    now: Timestamp,
    wall: Timestamp?,
    limit: Int = KernelReports.maximumReads,
    readClocks: () -> (wall: Timestamp, now: Timestamp)? = { nil },
    receiver: (UInt16) -> UInt8?
  ) -> Reading {
    var reading = Reading()
    var now = now
    if let wall { compareClocks(wall: wall, timeline: now) }
    var longest: Hole?
    var hasRead = false
    var buffer: [UInt8] = []
    swap(&buffer, &self.buffer)
    for count in 1...max(1, limit) {
      guard let packet = socket.receive(into: &buffer) else { break }
      if clock.isAhead(packet.stamp, of: now), let both = readClocks() {
        now = both.now
        compareClocks(wall: both.wall, timeline: now)
      }
      let time = clock.time(of: packet.stamp, now: now, notBefore: drained)
      if let last = lastPacket, time - last > longest.map({ $0.end - $0.start }) ?? .zero {
        longest = Hole(start: last, end: time)
      }
      lastPacket = max(time, lastPacket ?? time)
      hasRead = true
      let bytes = buffer.span.extracting(0..<packet.count)
      decoder.receive(bytes, isCut: packet.isCut, at: time, receiver: receiver)
      if count == limit { reading.more = time }
    }
    swap(&buffer, &self.buffer)
    isBehind = reading.more != nil
    if !isBehind { drained = now }
    if let hole = longest, hole.end - hole.start < Self.shortestHole { longest = nil }
    if now >= nextDropsCheck || longest != nil {
      nextDropsCheck = now + Self.dropsInterval
      reading.dropped = drainDrops()
    }
    // The kernel drops packets while the buffer is full, so the silence that this causes ends with the next packet
    // read.
    if hasDropped || reading.dropped > 0 { reading.hole = longest }
    hasDropped = reading.dropped > 0 || (hasDropped && !hasRead)
    return reading
  }

  private mutating func compareClocks(wall: Timestamp, timeline: Timestamp) {
    // A set clock needs no report here: the source reports it.
    if clock.compare(wall: wall, timeline: timeline) != nil { drained = nil }
  }

  /// Returns the scans that the host started or ended, as read since the last call.
  package mutating func drainScans() -> [ScanChange] { decoder.drainScans() }

  /// Returns the reports read since the last call.
  package mutating func drainBatch() -> ScanBatch { decoder.drainBatch() }

  /// Returns how many packets the kernel dropped since the last call.
  package mutating func drainDrops() -> Int {
    guard let dropped = socket.dropped else { return 0 }
    // The kernel's counter wraps around.
    defer { dropsKnown = dropped }
    return Int(dropped &- dropsKnown)
  }
}
