// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import Beacons

/// What another module adds to the source of a run: a condition of regions for `monitor`, such as the place of a beacon, or
/// places for `web`.
package struct AdditionalCondition: Sendable {
  /// Changes a run's source so that the engine knows the values of the condition; the remarks are for the user, and a
  /// recording of the run has the offsets of receivers that it starts with.
  package typealias Filter =
    @Sendable (any ScanSource, AdditionalParticipant.Surroundings) throws -> (
      source: any ScanSource, remarks: RunRemarks, offsets: () -> [String: Int]
    )

  /// The options that choose it.
  package let options: [any DeclaredOption]
  /// Reads its options, and puts the condition into the regions and the filter into the run.
  package let apply: @Sendable (ParsedArguments, inout RunOptions) throws -> Void

  package init(
    options: [any DeclaredOption],
    apply: @escaping @Sendable (ParsedArguments, inout RunOptions) throws -> Void
  ) {
    self.options = options
    self.apply = apply
  }
}
