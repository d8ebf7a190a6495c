// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

extension Timeline {
  /// The timeline without what a difference does not need.
  func shrunk(while differs: (Timeline) -> Bool) -> Timeline {
    var best = self
    var size = max(best.steps.count / 2, 1)
    while true {
      var index = 0
      var hasShrunk = false
      while index < best.steps.count {
        var candidate = best
        candidate.steps.removeSubrange(index..<min(index + size, best.steps.count))
        if differs(candidate) {
          best = candidate
          hasShrunk = true
        } else {
          index += size
        }
      }
      if size == 1, !hasShrunk { break }
      size = max(size / 2, 1)
    }
    let last = best.steps.last?.time ?? 0
    for end in stride(from: last, to: best.end, by: 500) {
      var candidate = best
      candidate.end = end
      if differs(candidate) { return candidate }
    }
    return best
  }

  /// The timeline as a scenario file that expects what was events.
  func scenario(expecting events: [Int]) -> String {
    let used = Set(steps.compactMap(\.action.client))
    let names = clients.indices.filter { used.contains($0) || clients.count == 1 }
    var text = "{\n  name: \"\",\n  profile: \"\(profile.rawValue)\",\n"
    text += "  localTime: \"\(Self.localTime)\",\n"
    text += "  set: { \"region.exit\": 30, \"authorization.staleAge\": 60,"
    text += " \"appClip.morning\": \(Self.seconds(Self.morning - Self.midnight)) },\n  clients: {\n"
    for name in names {
      text += "    \(Self.name(name)): { manifest: \(clients[name].manifestText) },\n"
    }
    text += "  },\n  state: {\n"
    for name in names { text += "    \(Self.name(name)): \(clients[name].stateText),\n" }
    text += "  },\n  timeline: [\n"
    for step in steps { text += "    { at: \(Self.seconds(step.time)), \(step.action.text) },\n" }
    text += "  ],\n  expect: [\n"
    for line in events.compactMap(ModelLine.decode) where names.contains(line.client) {
      text += "    { at: \(Self.seconds(line.time)), client: \"\(Self.name(line.client))\","
      text += " \(line.line.text) },\n"
    }
    return text + "  ],\n  until: \(Self.seconds(end)),\n}\n"
  }

  static func name(_ client: Int) -> String { ["guide", "shop", "tour"][client % 3] }

  static func seconds(_ time: Int) -> String {
    time % 1000 == 0 ? "\(time / 1000)" : "\(Double(time) / 1000)"
  }
}

extension Timeline.Client {
  fileprivate var manifestText: String {
    var parts: [String] = []
    if let text = manifest.whenInUse { parts.append("whenInUse: \"\(text)\"") }
    if let text = manifest.alwaysAndWhenInUse { parts.append("alwaysAndWhenInUse: \"\(text)\"") }
    parts.append("purposes: { K: \"k\" }")
    if manifest.defaultAccuracyReduced { parts.append("defaultAccuracyReduced: true") }
    if manifest.backgroundLocation { parts.append("backgroundLocation: true") }
    if manifest.appClip { parts.append("appClip: true") }
    if manifest.explicitServiceSession { parts.append("explicitServiceSession: true") }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  fileprivate var stateText: String {
    let status =
      switch self.status {
      case .notDetermined: "notDetermined"
      case .restricted: "restricted"
      case .denied: "denied"
      case .authorizedAlways: "always"
      case .authorizedWhenInUse: "whenInUse"
      }
    let accuracy = accuracy == .full ? "full" : "reduced"
    return
      "{ authorization: \"\(status)\", accuracy: \"\(accuracy)\", foreground: \(isForeground) }"
  }
}

extension Timeline.Action {
  fileprivate var client: Int? {
    switch self {
    case .user(_, let client): client
    case .request(_, let client), .terminate(let client), .relaunch(let client): client
    case .mark, .report, .radio, .gap, .restart: nil
    }
  }

  /// The action as scenario files write it.
  fileprivate var text: String {
    switch self {
    case .mark: "input: \"mark\""
    case .report(let beacon, let receiver):
      "input: \"report\", beacon: \"\(Timeline.beacons[beacon])\", rssi: -60"
        + Self.text(ofReceiver: receiver)
    case .radio(let state, let receiver):
      "input: \"radio\", state: \"\(state.rawValue)\"" + Self.text(ofReceiver: receiver)
    case .gap(let until): "input: \"gap\", until: \(Timeline.seconds(until))"
    case .user(let action, let client): Self.text(of: action) + Self.text(ofClient: client)
    case .request(let request, let client): Self.text(of: request) + Self.text(ofClient: client)
    case .terminate(let client): "input: \"terminate\"" + Self.text(ofClient: client)
    case .relaunch(let client): "input: \"relaunch\"" + Self.text(ofClient: client)
    // Scenarios have one process; the test of saved regions plays this one.
    case .restart: "input: \"restart\""
    }
  }

  private static func text(ofReceiver receiver: Int) -> String {
    receiver == 0 ? "" : ", receiver: \"hci\(receiver)\""
  }

  private static func text(ofClient client: Int?) -> String {
    client.map { ", client: \"\(Timeline.name($0))\"" } ?? ""
  }

  private static func text(of action: UserAction) -> String {
    switch action {
    case .answer(let choice, let precise):
      return "input: \"answer\", choice: \"\(choice.rawValue)\", precise: \(precise)"
    case .settings(let value, let precise):
      let authorization = value.map { ", authorization: \"\($0.rawValue)\"" } ?? ""
      return "input: \"settings\"" + authorization + (precise.map { ", precise: \($0)" } ?? "")
    case .services(let on): return "input: \"services\", on: \(on)"
    case .restriction(let on): return "input: \"restriction\", on: \(on)"
    case .foreground: return "input: \"foreground\""
    case .background: return "input: \"background\""
    case .screenOn: return "input: \"screenOn\""
    case .quiet: return "input: \"quiet\""
    case .tapNotification(let region): return "input: \"tapNotification\", region: \"\(region)\""
    case .press(let control): return "input: \"press\", control: \"\(control)\""
    case .zone, .start: return "input: \"none\""
    }
  }

  private static func text(of request: ClientRequest) -> String {
    switch request {
    case .authorize(.whenInUse): return "input: \"request.whenInUse\""
    case .authorize(.always): return "input: \"request.always\""
    case .authorize(.temporaryFull(let purpose)):
      return "input: \"request.temporaryFull\", purpose: \"\(purpose)\""
    case .authorize(.startSession): return "input: \"session.start\""
    case .authorize(.stopSession): return "input: \"session.stop\""
    case .authorize(.beginService(let session)):
      return "input: \"service.begin\", number: \(session.id), goal: \"\(session.goal.rawValue)\""
        + (session.isImplicit ? ", implicit: true" : "")
    case .authorize(.endService(let id)): return "input: \"service.end\", number: \(id)"
    case .monitor(let region, let assumed):
      var text = "input: \"monitor\", region: \"\(region.identifier)\""
      text += ", constraint: \"\(region.constraint)\""
      if !region.notifyOnEntry { text += ", notifyOnEntry: false" }
      if !region.notifyOnExit { text += ", notifyOnExit: false" }
      if region.notifyEntryStateOnDisplay { text += ", notifyEntryStateOnDisplay: true" }
      return text + (assumed.map { ", assuming: \"\($0)\"" } ?? "")
    case .stopMonitoring(let region): return "input: \"unmonitor\", region: \"\(region)\""
    case .requestState(let region): return "input: \"requestState\", region: \"\(region)\""
    case .range(let constraint, _): return "input: \"range\", constraint: \"\(constraint)\""
    case .stopRanging(let constraint): return "input: \"unrange\", constraint: \"\(constraint)\""
    case .notify(let notification):
      let region = notification.region
      return
        "input: \"notify\", region: \"\(region.identifier)\", constraint: \"\(region.constraint)\""
        + ", onEntry: \(region.notifyOnEntry), onExit: \(region.notifyOnExit)"
        + ", repeats: \(notification.repeats)"
    case .stopNotifying(let region): return "input: \"unnotify\", region: \"\(region)\""
    }
  }
}
