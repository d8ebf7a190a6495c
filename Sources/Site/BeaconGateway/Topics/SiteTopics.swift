// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// One level of a topic that a user chooses: the name of a site or of a gateway.
package struct TopicName: Sendable, Hashable, CustomStringConvertible {
  /// The most characters of a name.
  package static let longest = 64

  /// The name.
  package let text: String

  /// Checks a name: 1 to ``longest`` of the letters a to z and A to Z, digits, and `-`, `_` and `.`.
  ///
  /// It is `nil` for any other text: a slash or a wildcard would make it another topic.
  package init?(_ text: some StringProtocol) {
    guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
      return nil
    }
    self.text = String(text)
  }

  package var description: String { text }

  static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_.".utf8.contains(byte)
    }
  }
}

/// The topics of one gateway of a site.
package struct SiteTopics: Sendable, Equatable {
  /// The version of the topics and messages, the second level of each topic.
  package static let version = 1

  /// The site.
  package let site: TopicName
  /// The gateway.
  package let gateway: TopicName

  package init(site: TopicName, gateway: TopicName) {
    self.site = site
    self.gateway = gateway
  }

  /// The name of the gateway's connection.
  ///
  /// No two gateways have the same one, for ``TopicName`` has no colon and no tilde; a broker ends the connection of the
  /// first of two clients with one name. It has no dot, which NATS refuses, and nothing that a topic's pattern means.
  package var clientID: String {
    String("beacons:\(site):\(gateway)".map { $0 == "." ? "~" : $0 })
  }

  /// What every topic of a site starts with.
  package static func prefix(_ site: TopicName) -> String { "beacons/\(version)/\(site)/" }

  /// The start of every topic of only this gateway.
  package var ownPrefix: String { Self.prefix(site) + "\(gateway)/" }

  private func topic(_ name: String) -> String { ownPrefix + name }

  /// Whether the gateway is connected; retained.
  package var status: String { topic("status") }
  /// Which receivers listen; retained.
  package var radio: String { topic("radio") }
  /// The reports in a second that has just passed.
  package var levels: String { topic("levels") }
  /// The same of a second in which the broker was not there.
  package var late: String { topic("late") }
  /// A region was entered or left.
  package var crossing: String { topic("crossing") }
  /// The state of a region; retained.
  package func region(_ region: RegionIdentifier) -> String {
    topic("region/" + Self.level(region.rawValue))
  }
  /// How far away a beacon is.
  package func distance(_ beacon: BeaconIdentity) -> String {
    topic("distance/" + Self.level(of: beacon))
  }
  /// When the gateway last received a beacon; retained.
  package func seen(_ beacon: BeaconIdentity) -> String {
    topic("seen/" + Self.level(of: beacon))
  }
  /// A beacon's battery; retained.
  package func battery(_ beacon: BeaconIdentity) -> String {
    topic("battery/" + Self.level(of: beacon))
  }
  /// In which place of the site a beacon is; retained.
  package func place(_ beacon: BeaconIdentity) -> String {
    Self.prefix(site) + "place/" + Self.level(of: beacon)
  }

  /// A beacon as one level of a topic: `UUID-MAJOR-MINOR`.
  package static func level(of beacon: BeaconIdentity) -> String {
    "\(UUIDText.string(beacon.uuid))-\(beacon.major)-\(beacon.minor)"
  }

  /// Any text as one level of a topic: each byte that is not allowed in a ``TopicName`` is written as `~` and two digits.
  package static func level(_ text: String) -> String {
    var level = ""
    for byte in text.utf8 {
      if TopicName.isAllowed(byte) {
        level.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        level += "~" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    return level
  }
}
