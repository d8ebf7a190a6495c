// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconMuseum

/// Where a visit with the guide is shown as it goes, beside or instead of written events.
///
/// All of it is called on the run's own thread.
protocol GuideDisplay: AnyObject {
  /// Whether the visitor has left.
  var hasEnded: Bool { get }
  /// Begins with what the guide's client may know, and with where the visitor's actions go.
  func begin(_ snapshot: ClientSnapshot?, _ userActions: RunUserActions)
  /// Shows what the engine delivered to a client, and what the guide shows since it answered.
  func receive(_ delivery: Delivery, to client: String, _ view: GuideView)
  /// Takes what the guide told, and what it shows since.
  func receive(_ event: GuideEvent, _ view: GuideView)
  /// Takes what was heard, and the receivers' names by now.
  func receive(_ batch: ScanBatch, receivers: [String])
  /// Shows what is new, and takes what the visitor does.
  func pump()
}
