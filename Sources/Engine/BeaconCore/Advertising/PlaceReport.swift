// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// In which place a beacon is, as something before the engine found out from several receivers.
///
/// Like an ``AdvertisingReport`` it contains no pointer: its content lies in its ``ScanBatch``, so that an input keeps
/// its 32 bytes.
public struct PlaceReport: Sendable, Equatable {
  /// The time as of which the beacon is there, on the source's timeline.
  public var time: Timestamp
  /// Where the bytes start in ``ScanBatch/bytes``.
  package var start: UInt32
  /// How many bytes it has.
  package var count: UInt16
}

/// The content of a ``PlaceReport``.
package struct BeaconPlace: Sendable, Equatable {
  /// Where a beacon is.
  package enum Position: Sendable, Equatable {
    /// In a place, by its name.
    case at(String)
    /// Not known; it can be anywhere.
    case unknown
    /// Nowhere in the site: receivers listen that would receive it in its place, and they do not.
    case absent
  }

  /// The longest name of a place, in bytes.
  package static let longestName = 1024

  /// The beacon; `nil` for every beacon that is not followed, because it was not received or it has long been silent.
  package var identity: BeaconIdentity?
  /// Its place.
  package var position: Position
  /// How probable the place is, in hundredths; of an unknown place, that of the best one.
  package var hundredths: UInt8
  /// How many receivers received the beacon.
  package var heard: UInt8
  /// How many receivers did not listen.
  package var deaf: UInt8

  package init(
    _ identity: BeaconIdentity?,
    _ position: Position,
    hundredths: UInt8 = 0,
    heard: UInt8 = 0,
    deaf: UInt8 = 0
  ) {
    self.identity = identity
    self.position = position
    self.hundredths = min(hundredths, 100)
    self.heard = heard
    self.deaf = deaf
  }

  /// The size of what precedes the name.
  private static let headCount = 25

  /// Reads what ``bytes`` wrote; `nil` for other bytes.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.headCount else { return nil }
    let head = Array(bytes.prefix(Self.headCount))
    func number<Number: FixedWidthInteger>(_ offset: Int, _ count: Int) -> Number {
      head[offset..<offset + count].reduce(Number(0)) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
    let identity = BeaconIdentity(uuid: number(5, 16), major: number(21, 2), minor: number(23, 2))
    let name = String(decoding: bytes.dropFirst(Self.headCount), as: UTF8.self)
    let position: Position
    switch head[0] {
    case 0: position = .unknown
    case 1: position = .absent
    case 2: position = .at(name)
    default: return nil
    }
    self.init(
      head[1] == 0 ? nil : identity,
      position,
      hundredths: head[2],
      heard: head[3],
      deaf: head[4]
    )
  }

  /// The bytes that a batch keeps.
  var bytes: [UInt8] {
    let kind: UInt8 =
      switch position {
      case .unknown: 0
      case .absent: 1
      case .at: 2
      }
    var bytes = [kind, identity == nil ? 0 : 1, hundredths, heard, deaf]
    let beacon = identity ?? BeaconIdentity(uuid: 0, major: 0, minor: 0)
    for shift in stride(from: 120, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: beacon.uuid >> UInt128(shift)))
    }
    for number in [beacon.major, beacon.minor] {
      bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
    if case .at(let name) = position { bytes += name.utf8.prefix(Self.longestName) }
    return bytes
  }
}

extension ScanBatch {
  /// Appends where a beacon is as of a time.
  package mutating func append(_ place: BeaconPlace, at time: Timestamp) {
    let content = place.bytes
    let report = PlaceReport(time: time, start: 0, count: UInt16(clamping: content.count))
    append(.place(report), pointingTo: content)
  }

  /// Returns the content of a report of a place; `nil` when the report points outside the batch.
  package func place(of report: PlaceReport) -> BeaconPlace? {
    BeaconPlace(payload(of: .place(report)))
  }

  /// Appends an input of another batch, with a copy of the bytes that it points to there.
  package mutating func append(_ input: ScanInput, pointingTo payload: some Collection<UInt8>) {
    inputs.append(input.pointing(to: bytes.count))
    bytes.append(contentsOf: payload)
  }

  /// Returns a copy of the bytes that an input points to; empty if it points to no bytes, or outside the batch.
  package func payload(of input: ScanInput) -> ArraySlice<UInt8> {
    let range = input.pointsTo
    return range.upperBound <= bytes.count ? bytes[range] : []
  }
}
