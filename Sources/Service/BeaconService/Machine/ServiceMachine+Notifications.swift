// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
internal import Beacons
internal import DBus

/// A notification that a client asked for, as it is kept.
package struct ServedNotification: Sendable, Equatable {
  package var notification: RegionNotification
  /// Whether it was shown and is not shown again.
  package var isDone = false

  /// Its region.
  var region: RegionIdentifier { notification.region.identifier }

  package init(_ notification: RegionNotification) { self.notification = notification }
}

extension ServedNotification: FormedObject {
  package static var blank: ServedNotification { ServedNotification(.blank) }

  package mutating func form(_ form: inout Form) {
    notification.form(&form)
    form.optional("done", &isDone)
  }
}

// Notifications by region. The engine watches, and decides by the client's grants (row G23); an agent shows a notification, and
// the client's programs learn nothing until the user taps it.

extension ServiceMachine {
  /// Shows a notification whenever a region is entered or left, also when the session has ended.
  package mutating func notify(
    _ region: String,
    _ constraint: IdentityConstraint,
    _ options: ServiceOptions,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer, naming: region)
    let wanted = try RegionNotification(RegionIdentifier(region), constraint, options)
    guard (1...quotas.textBytes).contains(wanted.text.utf8.count) else { throw .invalidOption }
    var all = clients[session.client]?.notifications ?? []
    if let place = all.firstIndex(where: { $0.region == wanted.region.identifier }) {
      all[place] = ServedNotification(wanted)
    } else {
      // One that was shown counts: else its place would reveal that its region was entered.
      guard all.count < quotas.regions else { throw .limitExceeded }
      all.append(ServedNotification(wanted))
    }
    keep(all, of: session.client)
    actions.append(.request(client: session.client, .notify(wanted)))
  }

  /// Shows no more notifications of a region.
  package mutating func stopNotifying(
    _ region: String,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    let identifier = RegionIdentifier(region)
    let all = clients[session.client]?.notifications ?? []
    let others = all.filter { $0.region != identifier }
    guard others.count < all.count else { throw .unknownRegion }
    keep(others, of: session.client)
    for waiting in agents.notifications(of: session.client)
    where waiting.region == identifier && waiting.agent == nil {
      withdraw(waiting.number)
    }
    actions.append(.request(client: session.client, .stopNotifying(identifier)))
  }

  private mutating func keep(_ notifications: [ServedNotification], of key: String) {
    guard clients[key]?.notifications != notifications else { return }
    clients[key]?.notifications = notifications
    actions.append(.keepNotifications(client: key, notifications))
  }

  /// Notes that the engine shows a notification, through the agent that is right for it.
  mutating func show(notificationOf region: RegionIdentifier, of key: String) {
    guard let client = clients[key],
      let place = client.notifications.firstIndex(where: { $0.region == region && !$0.isDone })
    else { return }
    let notification = client.notifications[place].notification
    if !notification.repeats {
      var all = client.notifications
      all[place].isDone = true
      keep(all, of: key)
    }
    for old in agents.notifications(of: key) where old.region == region { withdraw(old.number) }
    let ofAccount = agents.notifications.filter { $0.uid == client.uid }
    if ofAccount.count >= quotas.notificationsOfAccount { withdraw(ofAccount[0].number) }
    ask(agents.open(.notification(region, text: notification.text), of: client))
  }

  /// Notes that the user tapped a notification: the client's newest session comes to the foreground.
  package mutating func opened(
    _ number: UInt32,
    at time: Timestamp,
    by peer: ServicePeer
  ) throws(ServiceError) {
    guard let question = agents.question(number, of: peer.name), let region = question.region
    else { throw .unknownClient }
    agents.questions[question.number] = nil
    let key = question.client
    // The program learns it now.
    let all = clients[key]?.notifications ?? []
    keep(all.filter { !$0.isDone || $0.region != region }, of: key)
    guard let newest = clients[key]?.sessions.last, let session = sessions[newest] else {
      clients[key]?.openedBy = region
      if let wake = clients[key]?.wake { actions.append(.wake(wake, client: key)) }
      return
    }
    sessions[newest]?.isForeground = true
    clients[key]?.isForeground = true
    actions.append(.user(client: key, .tapNotification(region: region.rawValue)))
    tell(opened: region, to: session, at: time)
  }

  /// Tells a session that the user opened it by a notification.
  mutating func tell(opened region: RegionIdentifier, to session: Session, at time: Timestamp) {
    let arguments: [DBusValue] = [
      .int64(time.wholeSecond.microseconds), .string(region.rawValue),
    ]
    send("Opened", arguments, to: session, of: time)
  }

  /// Takes back the notifications of a client whose grants do not allow them any more.
  mutating func withdrawNotifications(of key: String) {
    guard let state = clients[key]?.state else { return }
    let isPermitted =
      state.effective.isAuthorized && state.accuracy == .full && !state.lacksSession
    guard !isPermitted else { return }
    for shown in agents.notifications(of: key) { withdraw(shown.number) }
  }
}
