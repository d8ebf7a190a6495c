// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The guide as a client's program; it works the same in a live visit, in a replay and in the report of a visit.
extension Guide: ClientProgram {
  /// Starts the guide: it asks for authorization if the user has not decided yet, otherwise it monitors the museum.
  public mutating func begin(_ snapshot: ClientSnapshot?) -> ProgramAnswer<GuideEvent> {
    let status = snapshot?.status ?? .authorizedAlways
    return ProgramAnswer(begin(status: status, accuracy: snapshot?.accuracy ?? .full))
  }

  /// Answers a delivery.
  public mutating func answer(_ delivery: Delivery) -> ProgramAnswer<GuideEvent> {
    ProgramAnswer(process(delivery.event, at: delivery.time))
  }

  /// Handles the visitor's opening or closing of the guide.
  public mutating func answer(_ action: UserAction) -> ProgramAnswer<GuideEvent> {
    if action == .nextVisitor { return ProgramAnswer(nextVisitor()) }
    switch action {
    // A later run of the guide knows nothing of the visitor.
    case .start(_, let isForeground):
      let actions = nextVisitor()
      self.isForeground = isForeground
      return ProgramAnswer(actions)
    case .background: wentToBackground()
    case .press(Self.placeControl): return ProgramAnswer(wantsPrecision())
    case .foreground, .tapNotification: return ProgramAnswer(cameToForeground())
    default: break
    }
    return ProgramAnswer()
  }
}

extension ProgramAnswer<GuideEvent> {
  /// Sorts the guide's actions into requests and notices.
  fileprivate init(_ actions: [GuideAction]) {
    self.init()
    for action in actions {
      switch action {
      case .request(let request): requests.append(request)
      case .emit(let event): notices.append(event)
      }
    }
  }
}

extension UserAction {
  /// The next visitor gets the device: the guide asks again, and begins again.
  ///
  /// It takes back both settings immediately, which no other action of a visitor does; so a recording needs no other word.
  public static let nextVisitor = UserAction.settings(authorization: .askNextTime, precise: true)
}
