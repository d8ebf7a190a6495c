// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The kind of advertising event a report was made from, in the numbering of the LE Advertising Report event
/// (Core Specification, volume 4, part E, 7.7.65.2).
public enum AdvertisingEventKind: UInt8, Sendable, CaseIterable {
  /// Connectable and scannable undirected advertising (`ADV_IND`).
  case connectable = 0
  /// Connectable directed advertising (`ADV_DIRECT_IND`); it carries no data.
  case directed = 1
  /// Scannable undirected advertising (`ADV_SCAN_IND`).
  case scannable = 2
  /// Non-connectable undirected advertising (`ADV_NONCONN_IND`), the usual kind for a beacon.
  case nonConnectable = 3
  /// A scan response (`SCAN_RSP`).
  case scanResponse = 4
  /// An extended advertising PDU (`AUX_ADV_IND` and its chain), which has no legacy kind.
  case extended = 5

  /// Reads the event type of an LE Advertising Report; `nil` for the reserved ones.
  ///
  /// Unlike the initializer by raw value this one is inlined: every report passes through it.
  @inlinable @inline(__always)
  package init?(legacyEventType: UInt8) {
    switch legacyEventType {
    case 0: self = .connectable
    case 1: self = .directed
    case 2: self = .scannable
    case 3: self = .nonConnectable
    case 4: self = .scanResponse
    default: return nil
    }
  }
}
