// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The maker of a node, which the topics of its messages show.
package enum NodeKind: String, Sendable, Hashable {
  case espresense = "ESPresense"
  case theengs = "Theengs"
}

/// Who sent a message to a broker, as far as its topic shows.
///
/// Two nodes of different kinds with one name are two senders: the state of one shows nothing of the other.
package enum SiteSender: Sendable, Hashable, CustomStringConvertible {
  /// A gateway, to whose topics a broker may confine an account.
  case gateway(String)
  /// A node of another maker, whose account may often use the topics of all of them.
  case node(NodeKind, String)
  /// Its topic does not name it.
  case unknown

  package var isNode: Bool { if case .gateway = self { false } else { true } }

  package var description: String {
    switch self {
    case .gateway(let name): "gateway '\(name)'"
    case .node(let kind, let name): "\(kind.rawValue) node '\(name)'"
    case .unknown: "an unknown sender"
    }
  }
}

/// How much of a limited table each of several senders uses.
///
/// Gateways have one half of it, nodes the other, so that no account of nodes divides the part of gateways by many names. While
/// there is room in a half, a sender uses as much as it likes. In a full one each sender still gets its equal share, so that no
/// sender takes another one's, but no more than half of the rest up to twice the limit: names may be invented, and however
/// many there are, they fill no more than that.
package struct SenderShares: Sendable {
  private struct Half {
    var used: [SiteSender: Int] = [:]
    var total = 0
  }

  private let limit: Int
  private var gateways = Half()
  private var nodes = Half()

  /// - Parameter limit: How much all senders use before each has only its share.
  package init(limit: Int) { self.limit = limit / 2 }

  /// Whether a sender may use more.
  package func mayAdd(_ count: Int, of sender: SiteSender) -> Bool {
    let half = sender.isNode ? nodes : gateways
    guard half.total + count > limit else { return true }
    let own = half.used[sender]
    let others = half.total - (own ?? 0)
    let share = limit / (half.used.count + (own == nil ? 1 : 0))
    return (own ?? 0) + count <= min(share, (2 * limit - others) / 2)
  }

  /// Notes that a sender uses more, or less if the count is negative.
  package mutating func add(_ count: Int, of sender: SiteSender) {
    if sender.isNode { Self.add(count, sender, &nodes) } else { Self.add(count, sender, &gateways) }
  }

  private static func add(_ count: Int, _ sender: SiteSender, _ half: inout Half) {
    let own = half.used[sender] ?? 0
    let new = max(0, own + count)
    half.total += new - own
    half.used[sender] = new > 0 ? new : nil
  }
}
