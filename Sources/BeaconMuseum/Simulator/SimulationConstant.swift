// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A number of the simulator: its unit, where it comes from, and the place of its value in a model.
///
/// A source that begins with "assumed" is a number nobody measured for us; the credibility table of
/// `tools/bench simulator` says what follows from all of them together.
package struct SimulationConstant<Model>: Sendable {
  /// The name, such as `link.powerAtOneMeter`.
  package let key: String
  /// Where the value is.
  package let path: any WritableKeyPath<Model, Double> & Sendable
  /// The unit; empty for a plain number.
  package let unit: String
  /// Where it comes from.
  package let source: String

  init(
    _ key: String,
    _ path: any WritableKeyPath<Model, Double> & Sendable,
    unit: String,
    source: String
  ) {
    (self.key, self.path, self.unit, self.source) = (key, path, unit, source)
  }
}
