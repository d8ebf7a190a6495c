// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The place of a beacon's frame in the payload of a report, or the reason of its absence, in one byte.
///
/// An offset in the payload stays right when the report and its payload are copied. What does not fit one byte, or is
/// rare, counts as not read.
@usableFromInline
package struct FoundFrame: Sendable, Equatable {
  /// 0 if the payload was not read, 1 plus a reason's number, or an offset plus ``firstOffset``.
  @usableFromInline let code: UInt8

  private static let firstOffset = 32

  /// The payload was not read.
  @inlinable
  package init() { code = 0 }

  init(_ place: BeaconDecoder.FramePlace) {
    code =
      switch place {
      case .frame(let offset): UInt8(exactly: Self.firstOffset + offset) ?? 0
      case .nowhere(let reason): UInt8(1 + reason.rawValue)
      case .unclear: 0
      }
  }

  /// Whether the payload was read.
  @inlinable
  package var isKnown: Bool { code != 0 }

  var place: BeaconDecoder.FramePlace {
    let code = Int(code)
    if code >= Self.firstOffset { return .frame(at: code - Self.firstOffset) }
    return RejectReason(rawValue: code - 1).map { .nowhere($0) } ?? .unclear
  }
}
