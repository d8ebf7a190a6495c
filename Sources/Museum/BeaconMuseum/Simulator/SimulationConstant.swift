// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A number of the simulator: its unit, its source, and the place of its value in a model.
///
/// A source that begins with "assumed" marks a number that was not measured for this project. The credibility table of
/// `tools/bench simulator` shows what follows from all the numbers together.
package struct SimulationConstant<Model>: Sendable {
  /// The name, such as `link.powerAtOneMeter`.
  package let key: String
  /// The place of the value in the model.
  package let path: any WritableKeyPath<Model, Double> & Sendable
  /// The unit; empty for a number without one.
  package let unit: String
  /// The number's source.
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
