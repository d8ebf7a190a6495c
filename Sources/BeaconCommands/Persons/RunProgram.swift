// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The program of a run's client: it answers what is delivered to it, at that point of the timeline.
package protocol RunProgram: AnyObject {
  /// Answers a delivery with requests.
  ///
  /// - Parameters:
  ///   - delivery: What was delivered.
  ///   - driver: The engine's driver, to ask.
  /// - Throws: What the program's outputs throw.
  func answer(_ delivery: Delivery, _ driver: inout EngineDriver) throws
  /// Notices what a user did with the program itself: opened it, closed it.
  func notice(_ input: UserAction, _ driver: inout EngineDriver) throws
}
