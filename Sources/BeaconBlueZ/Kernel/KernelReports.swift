// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads what the adapters receive from the kernel's monitor channel, on the bus's thread.
///
/// It only reads; scanning is started through BlueZ.
package struct KernelReports {
  /// The most packets that are read before other work is done.
  package static let maximumReads = 4096
  /// How often the kernel is asked what it dropped.
  private static let dropsInterval = TimeSpan.seconds(1)
  /// The shortest silence between two packets that counts as a loss where packets were dropped: a third of the silence
  /// that the quickest exit takes.
  package static let shortestHole = TimeSpan.seconds(1)

  /// A time in which nothing was read because the kernel dropped it.
  package struct Hole: Sendable, Equatable {
    /// When the last packet came before it.
    package var start: Timestamp
    /// When the first packet came after it.
    package var end: Timestamp
  }

  /// What a reading found besides the reports.
  package struct Reading: Sendable, Equatable {
    /// The time of the last packet that was read, where more are left; `nil` when all were read.
    package var more: Timestamp?
    /// How many packets the kernel dropped since it was last asked.
    package var dropped = 0
    /// The longest silence between two packets, where packets were dropped and it is long.
    package var hole: Hole?
  }

  private let socket: MonitorSocket
  private var clock = MonitorClock()
  private var buffer = [UInt8](repeating: 0, count: MonitorSocket.longestPacket)
  private var dropsKnown: UInt32 = 0
  private var nextDropsCheck = Timestamp.earliest
  /// Whether packets were dropped behind the last one that was read.
  private var hasDropped = false
  /// When the last packet was received.
  private var lastPacket: Timestamp?
  /// Whether the last reading left something unread.
  package private(set) var isBehind = false
  /// When the channel was last empty: what is read later came later.
  private var drained: Timestamp?
  /// Decodes what is read.
  package private(set) var decoder = MonitorDecoder()

  /// Creates a reader of an open channel.
  package init(_ socket: MonitorSocket) {
    self.socket = socket
  }

  /// What to wait on.
  package var descriptor: Int32 { socket.descriptor }

  /// Reads the packets that have come.
  ///
  /// - Parameters:
  ///   - now: Where the timeline stands.
  ///   - wall: What the wall clock shows then; `nil` where that is not known well enough.
  ///   - limit: The most packets to read.
  ///   - readClocks: Reads both clocks again, should a packet have come long after `now`.
  ///   - receiver: The number that an adapter has in reports; `nil` for one whose reports are not wanted.
  /// - Returns: What was found besides the reports.
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
    // Packets are dropped while the buffer is full, so the silence that they leave ends with the next packet read.
    if hasDropped || reading.dropped > 0 { reading.hole = longest }
    hasDropped = reading.dropped > 0 || (hasDropped && !hasRead)
    return reading
  }

  private mutating func compareClocks(wall: Timestamp, timeline: Timestamp) {
    // The source itself reports that the clock was set.
    if clock.compare(wall: wall, timeline: timeline) != nil { drained = nil }
  }

  /// Returns the reports that were read since the last call.
  package mutating func drainBatch() -> ScanBatch { decoder.drainBatch() }

  /// Returns how many packets the kernel dropped since the last call.
  package mutating func drainDrops() -> Int {
    guard let dropped = socket.dropped else { return 0 }
    // The kernel's counter wraps.
    defer { dropsKnown = dropped }
    return Int(dropped &- dropsKnown)
  }
}
