// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// How a guide stands at a moment, for whoever shows it: what it knows, and what its visitor permits to know.
public struct GuideSnapshot: Sendable, Equatable {
  /// What the guide shows, as it last said.
  public var view: GuideView
  /// What the visitor granted.
  public var authorization: AuthorizationStatus
  /// How precisely.
  public var accuracy: AccuracyAuthorization
  /// The usage indicator.
  public var indicator = UsageIndicator.Style.none
  /// Where the timeline stands; `nil` before it began.
  public var time: Timestamp?
  /// Whether the source has ended, so that nothing will change any more.
  public var isOver = false

  /// Creates a moment of a guide that nobody has permitted anything yet.
  public init(
    _ view: GuideView,
    authorization: AuthorizationStatus = .notDetermined,
    accuracy: AccuracyAuthorization = .full
  ) {
    self.view = view
    self.authorization = authorization
    self.accuracy = accuracy
  }

  /// What may be shown.
  ///
  /// The guide forgets where its visitor was when permission goes, an instant after permission went. What is shown does not
  /// wait for that: without the permission for it there is no place, whatever the guide still says.
  public var permitted: GuideView {
    let status: GuideStatus
    switch authorization {
    case .notDetermined: status = .asking
    case .denied, .restricted: status = .denied
    case .authorizedAlways, .authorizedWhenInUse:
      guard accuracy == .full else {
        status = .reduced
        break
      }
      guard view.status != .inside else { return view }
      // A grant that the guide has not yet acted upon.
      status = [.asking, .denied, .reduced].contains(view.status) ? .looking : view.status
    }
    return GuideView(
      status: status,
      room: nil,
      exhibit: nil,
      confidence: 0,
      position: nil,
      near: [],
      strangers: []
    )
  }
}
