// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A prompt that asks the user on behalf of a client.
public struct Prompt: Sendable, Hashable {
  /// The kind of request; the raw values are the names in scenario files.
  public enum Kind: String, Sendable, CaseIterable {
    /// Authorization while in use; from iOS 13 on, a request for Always shows this prompt first.
    case whenInUse
    /// Always: iOS 12's prompt of three options, or the second prompt of iOS 13 and later.
    case always
    /// The change from while using to always on iOS 12.
    case transition
    /// Full accuracy for this use.
    case temporaryFull
  }

  /// The kind of request.
  public let kind: Kind
  /// The answers, in the order in which they are offered.
  public let choices: [PromptChoice]
  /// The client's own text.
  public let text: String
  /// Whether the prompt has a switch for precise location.
  public let offersPrecise: Bool
  /// The purpose key of a prompt for temporary full accuracy.
  public let purpose: String?

  package init(
    kind: Kind,
    choices: [PromptChoice],
    text: String,
    offersPrecise: Bool = false,
    purpose: String? = nil
  ) {
    self.kind = kind
    self.choices = choices
    self.text = text
    self.offersPrecise = offersPrecise
    self.purpose = purpose
  }
}
