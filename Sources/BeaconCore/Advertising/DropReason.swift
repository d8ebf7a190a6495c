// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why something that came in was left out before anyone could ask what it says.
public enum DropReason: Int, CountedReason {
  /// A link-layer packet whose checksum is known to be wrong: a flipped bit may be in the identity.
  case badCRC
  /// A link-layer packet that is no advertising packet, or too short to be one.
  case notAdvertising
  /// An HCI event whose lengths contradict each other.
  case malformedEvent
  /// An extended report whose fragments did not all arrive, or more were open at once than are kept.
  case incompleteFragments
  /// A record with no time, which cannot be put on a timeline.
  case noTime
  /// A record that its recorder cut short (captured length below original length).
  case cutByRecorder
  /// A record or line that is not what its format promises, where the next one can still be read.
  case malformedRecord
  /// A track given up because the table of tracks was full.
  case trackEvicted
  /// A report that a live source heard while its buffer was full.
  case sourceOverflow
  /// A packet that the kernel dropped because a live source did not take it in time.
  case kernelOverflow
  /// A device's address that a live source gave up because it was told of too many; its reports came without one.
  case addressEvicted
}
