// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// A guide's state at one time, as it may be shown: the guide's knowledge, as far as its visitor permits.
public struct GuideSnapshot: Sendable, Equatable {
  /// The guide's last view.
  public var view: GuideView
  /// The authorization that the visitor granted.
  public var authorization: AuthorizationStatus
  /// The accuracy that the visitor granted.
  public var accuracy: AccuracyAuthorization
  /// The open question; `nil` for none.
  package var prompt: Prompt?
  /// Whether a page answers questions and changes settings, and not a file or a recording.
  package var isAsked = false
  /// Whether the visitor has the guide open.
  package var isOpen = true
  /// Whether the notification of the arrival is shown, while the guide is closed.
  package var isGreeted = false
  /// Whether no receiver works.
  package var hasNoRadio = false
  /// Whether the visitor cannot allow location: a policy forbids it, or it is off on this machine.
  package var isRestricted = false
  /// The usage indicator.
  public var indicator = UsageIndicator.Style.none
  /// The current time of the timeline; `nil` before it starts.
  public var time: Timestamp?
  /// The source of the visit.
  package var origin = VisitOrigin.live
  /// How often the device went to another visitor since the start.
  package var visit = 0
  /// Whether the source has ended, so that nothing changes any more.
  public var isOver = false

  /// Creates the snapshot of a guide that has no grants yet.
  public init(
    _ view: GuideView,
    authorization: AuthorizationStatus = .notDetermined,
    accuracy: AccuracyAuthorization = .full
  ) {
    self.view = view
    self.authorization = authorization
    self.accuracy = accuracy
  }

  /// The view, limited to what may be shown.
  ///
  /// When a permission ends, the guide resets its visitor's place slightly later. This view does not wait for that:
  /// without the permission it contains no place, whatever the guide's own view still contains.
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
      // A closed guide receives nothing, so its last place is not that of the visitor.
      guard view.status != .inside || !isOpen else { return view }
      // A grant that the guide has not processed yet.
      status = [.asking, .denied, .reduced].contains(view.status) ? .looking : view.status
    }
    var hidden = view.hidden
    hidden.status = status
    return hidden
  }
}

extension GuideView {
  /// The view without a place.
  var hidden: GuideView {
    GuideView(
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
