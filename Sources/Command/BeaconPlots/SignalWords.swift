// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The words of a picture of a signal, English unless they are set.
package struct SignalWords: Sendable {
  /// The name of the drawing for a screen reader.
  package var picture = "Picture"
  /// The chart of the distance of a beacon, and of the nearest of several.
  package var distance = "Distance, and its 90 % interval"
  package var nearestDistance = "Distance of the nearest beacon, and its 90 % interval"
  /// The limits of proximity.
  package var (immediate, near) = ("immediate", "near")
  /// The chart of the silence.
  package var silence = "Silence, and the exit time"
  /// The heading of the receivers.
  package var receivers = "Receivers"
  /// The states of a receiver that have another name than in outputs.
  package var states: [RadioState: String] = [:]
  /// A time without a recording.
  package var notRecorded = "not recorded"
  /// A time in which no receiver listened.
  package var noRadio = "no radio listens"
  /// How much was received.
  package var received: @Sendable (Int) -> String = { $0 == 1 ? "1 report" : "\($0) reports" }
  /// A span of time.
  package var span: @Sendable (String, String) -> String = { "\($0) to \($1)" }
  /// Nothing was received.
  package var nothing = "nothing was received"
  /// Whether the picture has the states of a region and its crossings.
  package var hasRegion = true

  /// Creates English words.
  package init() {}
}
