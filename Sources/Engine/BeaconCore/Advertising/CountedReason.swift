// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A closed set of reasons, for counting how often each occurs.
///
/// The raw values are the ordinals 0, 1, 2, … in the order of declaration, which is the order counts are shown in.
public protocol CountedReason: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {}

extension CountedReason {
  /// The reason's name in every output: the name of the case.
  public var name: String { String(describing: self) }
}
