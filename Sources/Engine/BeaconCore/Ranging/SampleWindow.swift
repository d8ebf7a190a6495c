// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The signal strengths of the last few seconds, with four bytes for each sample.
///
/// A sample consists of 24 bits with the microseconds since the previous sample and 8 bits of RSSI, in a ring that
/// starts small and doubles up to a cap. If a pause is too long for 24 bits, slots without a sample fill it. The window
/// is half open: at time *t* it contains the samples of (*t* − length, *t*]. A sample exactly as old as the window's
/// length is not in it, as in AltBeacon's filter. A time that goes back counts as the last time.
struct SampleWindow: Sendable {
  /// The longest window in microseconds: 60 s; a longer silence is a gap of the timeline.
  static let longestWindow: Int64 = 60_000_000
  /// The ring's first capacity: a beacon that is passed at a distance gives only a few samples.
  static let firstCapacity = 8
  /// The largest cap of a configuration: 60 s at 60 reports a second, rounded up to a power of two.
  static let largestCap = 4096

  /// The low byte of a slot without a sample; 127 dBm is HCI's "RSSI is not available", so no sample has it.
  private static let pause: UInt32 = 0x7F
  /// The longest time in microseconds that a slot can hold: 16.8 s.
  private static let longestStep: Int64 = 0xFF_FFFF

  private var ring: [UInt32] = []
  /// When the newest slot was filled.
  private var newest: Int64 = 0
  /// Microseconds from the oldest slot to the newest.
  private var span: UInt32 = 0
  private var head: UInt16 = 0
  private var slots: UInt16 = 0
  private var pauses: UInt8 = 0

  /// How many samples the window holds.
  var count: Int { Int(slots) &- Int(pauses) }

  /// Returns a window's length in microseconds, at least 1 ms and at most ``longestWindow``.
  static func length(_ span: TimeSpan) -> UInt32 {
    UInt32(truncatingIfNeeded: min(max(span.microseconds, 1000), longestWindow))
  }

  /// Returns a window's length, at least 1 ms and at most ``longestWindow``.
  static func clamped(_ span: TimeSpan) -> TimeSpan {
    TimeSpan(microseconds: Int64(length(span)))
  }

  /// Returns a cap within ``firstCapacity`` and ``largestCap``.
  static func cap(_ samples: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: min(max(samples, firstCapacity), largestCap))
  }

  /// Adds a sample, removes samples that have left the window, and removes the oldest one if the cap is reached.
  @inline(__always)
  mutating func add(_ rssi: Int8, at time: Timestamp, window: UInt32, cap: UInt16) {
    let low = UInt32(UInt8(bitPattern: rssi))
    guard low != Self.pause else { return }
    let now = max(time.microseconds, newest)
    var step = slots == 0 ? 0 : now &- newest
    if step >= Int64(window) {
      removeAll()
      step = 0
    }
    newest = now
    dropSamples(asOldAs: window &- UInt32(truncatingIfNeeded: step))
    while step > Self.longestStep {
      push(UInt32(Self.longestStep) << 8 | Self.pause, cap: cap)
      pauses &+= 1
      step &-= Self.longestStep
    }
    push(UInt32(truncatingIfNeeded: step) << 8 | low, cap: cap)
  }

  /// Removes the samples that have left the window at a time.
  @inline(__always)
  mutating func advance(to time: Timestamp, window: UInt32) {
    let silence = time.microseconds &- newest
    if silence >= Int64(window) {
      removeAll()
    } else {
      dropSamples(asOldAs: window &- UInt32(truncatingIfNeeded: max(silence, 0)))
    }
  }

  /// Removes all samples that had at least a given age, which is never 0, when the newest was added.
  @inline(__always)
  private mutating func dropSamples(asOldAs age: UInt32) {
    while span >= age { dropOldest() }
  }

  @inline(__always)
  private mutating func dropOldest() {
    let mask = ring.count &- 1
    var slot: UInt32
    repeat {
      slots &-= 1
      guard slots > 0 else { return removeAll() }
      if ring[Int(head)] & 0xFF == Self.pause { pauses &-= 1 }
      head = UInt16(truncatingIfNeeded: (Int(head) &+ 1) & mask)
      slot = ring[Int(head)]
      span &-= slot >> 8
    } while slot & 0xFF == Self.pause
  }

  private mutating func removeAll() {
    span = 0
    head = 0
    slots = 0
    pauses = 0
  }

  @inline(__always)
  private mutating func push(_ slot: UInt32, cap: UInt16) {
    if slots == cap { dropOldest() }
    if Int(slots) == ring.count { grow() }
    ring[(Int(head) &+ Int(slots)) & (ring.count &- 1)] = slot
    if slots > 0 { span &+= slot >> 8 }
    slots &+= 1
  }

  /// Doubles the ring; its capacity stays a power of two, so that an index wraps by masking.
  @inline(never)
  private mutating func grow() {
    let mask = ring.count &- 1
    var larger = [UInt32](repeating: 0, count: max(Self.firstCapacity, ring.count &* 2))
    for index in 0..<Int(slots) { larger[index] = ring[(Int(head) &+ index) & mask] }
    ring = larger
    head = 0
  }

  /// Passes every sample to a function, the oldest first.
  @inline(__always)
  func forEach(_ body: (Int8) -> Void) {
    let ring = ring.span
    let mask = ring.count &- 1
    for index in 0..<Int(slots) {
      let slot = ring[(Int(head) &+ index) & mask]
      if slot & 0xFF != Self.pause { body(Int8(truncatingIfNeeded: slot)) }
    }
  }
}
