// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconMuseum

/// Where a visit with the guide is shown as it goes, beside or instead of written events.
///
/// All of it is called on the run's own thread.
protocol GuideDisplay: AnyObject {
  /// Whether the visitor has left.
  var hasEnded: Bool { get }
  /// Begins: how the guide's client stands, and how the visitor acts here.
  func begin(_ snapshot: ClientSnapshot?, act: @escaping (UserAction) -> Void)
  /// Takes what the engine told a client, and what the guide shows.
  func take(_ delivery: Delivery, to client: String, _ view: GuideView)
  /// Takes what the guide told, and what it shows since.
  func take(_ event: GuideEvent, _ view: GuideView)
  /// Takes what was heard, and the receivers' names by now.
  func hear(_ batch: ScanBatch, receivers: [String])
  /// Shows what is new, and takes what the visitor does.
  func pump()
}
