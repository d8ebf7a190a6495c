// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Chooses the language of a plan in which a reader sees a page.
public enum PageLanguage {
  /// Returns a language of the plan for a reader.
  ///
  /// - Parameters:
  ///   - plan: The museum.
  ///   - asked: The language in a link; `nil` for none.
  ///   - preferred: The languages that the reader's browser prefers, best first.
  ///   - usual: The language to use if neither decides.
  /// - Returns: A language of the plan: a requested one, otherwise a variety of it, otherwise the usual one.
  public static func choose(
    of plan: Plan,
    asked: String?,
    preferred: [String],
    usual: String
  ) -> String {
    choose(of: plan.languages, asked: asked, preferred: preferred, usual: usual)
  }

  /// Returns one of some languages for a reader, as of a plan's.
  package static func choose(
    of languages: [String],
    asked: String?,
    preferred: [String],
    usual: String
  ) -> String {
    let wishes = (asked.map { [$0] } ?? []) + preferred
    for wish in wishes.map({ $0.lowercased() }) {
      if let exact = languages.first(where: { $0.lowercased() == wish }) { return exact }
      let stem = stem(wish)
      if let near = languages.first(where: { Self.stem($0.lowercased()) == stem }) { return near }
    }
    return usual
  }

  private static func stem(_ tag: String) -> Substring { tag.prefix { $0 != "-" } }
}
