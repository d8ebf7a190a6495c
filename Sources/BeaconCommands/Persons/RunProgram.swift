// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The program of a run's client: it answers what it is told, at that point of the timeline.
package protocol RunProgram: AnyObject {
  /// Answers a delivery with requests.
  ///
  /// - Parameters:
  ///   - delivery: What was told.
  ///   - engine: The engine, to ask.
  ///   - told: What the engine tells of it at once.
  /// - Throws: What the program's outputs throw.
  func answer(
    _ delivery: Delivery,
    _ engine: inout Engine,
    into told: inout [Delivery]
  ) throws
  /// Notices what a person did with the program itself: opened it, closed it.
  func notice(_ input: UserAction, _ engine: inout Engine, into told: inout [Delivery]) throws
}
