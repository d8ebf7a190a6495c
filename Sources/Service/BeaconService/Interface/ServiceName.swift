// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// The names of the service on the bus; all follow from ``domain``.
package enum ServiceName {
  /// What every name starts with.
  package static let domain = "io.github.swift_beacons"
  /// The well-known name of the service.
  package static let bus = domain + ".Beacons1"
  /// The object that programs start with.
  package static let path =
    "/" + domain.split(separator: ".").joined(separator: "/") + "/Beacons1"

  /// The interface of the service itself.
  package static let manager = domain + ".Manager1"
  /// The interface of a program's session.
  package static let session = domain + ".Session1"
  /// The interface for those who administer the machine.
  package static let admin = domain + ".Admin1"
  /// The interface of a receiver.
  package static let radio = domain + ".Radio1"
  /// The interface of an object that asks a user.
  package static let agent = domain + ".Agent1"

  /// The polkit action that lets an account answer questions.
  package static let answerAction = domain + ".answer"
  /// The polkit action that lets an account administer grants.
  package static let administerAction = domain + ".administer"
  /// The polkit action that lets an account receive the operator's stream.
  package static let sightingsAction = domain + ".sightings"
  /// The units that may read the operator's stream without being asked: root defined them, and they show it.
  package static let sightingsUnits = ["beacons-web.service", "beacons-gateway.service"]

  /// The path of a session.
  package static func path(ofSession number: SessionNumber) -> String {
    "\(path)/session/\(number.account)/\(number.count)"
  }

  /// The number of a session's path; `nil` for any other path.
  package static func session(at path: String) -> SessionNumber? {
    let start = Self.path + "/session/"
    guard path.hasPrefix(start) else { return nil }
    let parts = path.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let account = UInt32(parts[0]), let count = UInt32(parts[1]) else {
      return nil
    }
    return SessionNumber(account: account, count: count)
  }

  /// The path of a receiver.
  package static func path(ofRadio number: Int) -> String { "\(path)/radio/\(number)" }
}

// MARK: - The interfaces

extension InterfaceDescription {
  /// The service itself.
  package static let manager = InterfaceDescription(
    ServiceName.manager,
    methods: [
      Method(
        "CreateSession",
        [Argument("options", "a{sv}")],
        returning: [Argument("session", "o")]
      ),
      Method("RegisterAgent", [Argument("agent", "o")]),
      Method("UnregisterAgent", [Argument("agent", "o")]),
      Method(
        "Answer",
        [Argument("question", "u"), Argument("choice", "s"), Argument("precise", "b")]
      ),
      Method("Opened", [Argument("notification", "u")]),
    ],
    properties: [
      Property("Version", "u", emitsChange: false), Property("Services", "b", emitsChange: false),
      Property("Listening", "b", emitsChange: false), Property("InUse", "b", emitsChange: false),
    ]
  )

  /// A program's session.
  package static let session = InterfaceDescription(
    ServiceName.session,
    methods: [
      Method("Request", [Argument("kind", "s"), Argument("options", "a{sv}")]),
      Method("SetForeground", [Argument("foreground", "b")]),
      Method("StartRanging", [Argument("constraint", "a{sv}")]),
      Method("StopRanging", [Argument("constraint", "a{sv}")]),
      Method(
        "StartMonitoring",
        [Argument("region", "s"), Argument("constraint", "a{sv}"), Argument("options", "a{sv}")]
      ),
      Method("StopMonitoring", [Argument("region", "s")]),
      Method("RequestState", [Argument("region", "s")]),
      Method(
        "Notify",
        [Argument("region", "s"), Argument("constraint", "a{sv}"), Argument("options", "a{sv}")]
      ),
      Method("StopNotifying", [Argument("region", "s")]),
      Method("ListRegions", returning: [Argument("regions", "a(sa{sv}a{sv})")]),
      Method("OpenStream", [Argument("options", "a{sv}")], returning: [Argument("lines", "h")]),
      Method("Close"),
    ],
    signals: [
      Signal(
        "Ranged",
        [Argument("t", "x"), Argument("constraint", "a{sv}"), Argument("beacons", beacons)]
      ),
      Signal(
        "Crossing",
        [
          Argument("sequence", "t"), Argument("t", "x"), Argument("region", "s"),
          Argument("kind", "s"), Argument("why", "a{sv}"),
        ]
      ),
      Signal(
        "State",
        [
          Argument("t", "x"), Argument("region", "s"), Argument("state", "s"),
          Argument("detail", "a{sv}"),
        ]
      ),
      Signal("Notice", [Argument("t", "x"), Argument("code", "s"), Argument("detail", "a{sv}")]),
      Signal("Opened", [Argument("t", "x"), Argument("region", "s")]),
    ],
    properties: [
      Property("Client", "s"), Property("Verified", "b"), Property("Authorization", "s"),
      Property("Precise", "b"), Property("Limit", "s"),
    ]
  )

  /// A beacon in `Ranged`: UUID, major, minor, proximity, distance with its bounds in meters, RSSI in dBm, the time of
  /// its last report, its reports in this second.
  package static let beacons = "a(sqqsdddnxu)"

  /// Those who administer the machine.
  package static let admin = InterfaceDescription(
    ServiceName.admin,
    methods: [
      Method("ListClients", returning: [Argument("clients", "a(sa{sv})")]),
      Method(
        "SetGrant",
        [Argument("client", "s"), Argument("grant", "s"), Argument("options", "a{sv}")]
      ),
      Method("Reset", [Argument("client", "s")]),
      Method("SetServices", [Argument("on", "b")]),
      Method("OpenSightings", returning: [Argument("lines", "h")]),
    ]
  )

  /// A receiver.
  package static let radio = InterfaceDescription(
    ServiceName.radio,
    properties: [
      Property("Name", "s", emitsChange: false), Property("State", "s", emitsChange: false),
      Property("Since", "x", emitsChange: false),
    ]
  )

  /// What an agent has; the service calls it.
  package static let agent = InterfaceDescription(
    ServiceName.agent,
    methods: [
      Method(
        "Ask",
        [
          Argument("question", "u"), Argument("client", "s"), Argument("verified", "b"),
          Argument("kind", "s"), Argument("detail", "a{sv}"),
        ]
      ),
      Method(
        "Notify",
        [
          Argument("notification", "u"), Argument("client", "s"), Argument("verified", "b"),
          Argument("text", "s"),
        ]
      ),
      Method("Cancel", [Argument("question", "u")]),
    ]
  )
}
