// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why an input was left out before its content was evaluated.
public enum DropReason: Int, CountedReason {
  /// A link-layer packet whose checksum is known to be wrong: a flipped bit may be in the identity.
  case badCRC
  /// A link-layer packet that is not an advertising packet, or too short to be one.
  case notAdvertising
  /// An HCI event whose lengths contradict each other.
  case malformedEvent
  /// An extended report with missing fragments, or one too many that were incomplete at a time.
  case incompleteFragments
  /// A record with no time, which cannot be put on a timeline.
  case noTime
  /// A record that its recorder cut short (captured length below original length).
  case cutByRecorder
  /// A record or line that is not valid; the next one can still be read.
  case malformedRecord
  /// A track removed because the table of tracks was full.
  case trackEvicted
  /// A report that a live source received while its buffer was full.
  case sourceOverflow
  /// A packet that the kernel dropped because a live source did not read it in time.
  case kernelOverflow
  /// A device's address that a live source removed because there were too many; its reports lack it.
  case addressEvicted

  /// Whether the source lost something that it should have given: not if it contains other frames than advertising, and not where
  /// a sniffer received a packet with errors.
  public var isLoss: Bool {
    switch self {
    case .badCRC, .notAdvertising, .trackEvicted, .addressEvicted: false
    case .malformedEvent, .incompleteFragments, .noTime, .cutByRecorder, .malformedRecord,
      .sourceOverflow, .kernelOverflow:
      true
    }
  }
}
