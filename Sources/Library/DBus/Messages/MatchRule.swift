// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A rule for the signals that the bus passes on to this program.
package struct MatchRule: Sendable, Equatable {
  /// The rule as the bus reads it.
  package let text: String

  /// Creates a rule for signals from a sender; `nil` matches everything.
  ///
  /// No value may contain an apostrophe. The rules are part of this program and contain no outside text.
  package init(
    sender: String,
    interface: String? = nil,
    member: String? = nil,
    path: String? = nil,
    pathNamespace: String? = nil,
    firstArgument: String? = nil,
    thirdArgument: String? = nil
  ) {
    let parts: [(String, String?)] = [
      ("sender", sender), ("interface", interface), ("member", member), ("path", path),
      ("path_namespace", pathNamespace), ("arg0", firstArgument),
      ("arg2", thirdArgument),
    ]
    text = parts.reduce("type='signal'") { rule, part in
      part.1.map { "\(rule),\(part.0)='\($0)'" } ?? rule
    }
  }
}

extension MatchRule {
  /// Every name without an owner any more.
  static let departures = ownerChanges(thirdArgument: "")

  /// The changes of a name's owner.
  static func changes(ofOwnerOf name: String) -> MatchRule { ownerChanges(firstArgument: name) }

  private static func ownerChanges(
    firstArgument: String? = nil,
    thirdArgument: String? = nil
  ) -> MatchRule {
    MatchRule(
      sender: BusName.bus,
      interface: BusName.bus,
      member: "NameOwnerChanged",
      path: BusName.busPath,
      firstArgument: firstArgument,
      thirdArgument: thirdArgument
    )
  }
}
