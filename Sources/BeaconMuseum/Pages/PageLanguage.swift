// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which of a plan's languages a reader gets.
public enum PageLanguage {
  /// Chooses a language of the plan.
  ///
  /// - Parameters:
  ///   - plan: The museum.
  ///   - asked: The language that a link names; `nil` for none.
  ///   - preferred: What the reader's browser prefers, best first.
  ///   - usual: The language where neither says.
  /// - Returns: A language of the plan: one that is asked for, else a variety of it, else the usual one.
  public static func choose(
    of plan: Plan,
    asked: String?,
    preferred: [String],
    usual: String
  ) -> String {
    let wishes = (asked.map { [$0] } ?? []) + preferred
    for wish in wishes.map({ $0.lowercased() }) {
      if let exact = plan.languages.first(where: { $0.lowercased() == wish }) { return exact }
      let stem = stem(wish)
      if let near = plan.languages.first(where: { Self.stem($0.lowercased()) == stem }) {
        return near
      }
    }
    return usual
  }

  private static func stem(_ tag: String) -> Substring { tag.prefix { $0 != "-" } }
}
