// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The fixed texts of the guide's screen on a terminal in one language.
package struct ScreenPhrases: Phrases {
  /// The language's tag.
  package let language: String
  /// The title of what is received around the visitor.
  package let around: String
  /// The usage indicator: location is not used.
  package let notInUse: String
  /// The usage indicator: location may be used.
  package let mayUse: String
  /// The usage indicator: location is used.
  package let using: String
  /// The usage indicator: a session in the background.
  package let inBackground: String
  /// The permission: nobody was asked yet.
  package let notAsked: String
  /// The permission: a policy forbids it.
  package let restricted: String
  /// The permission: denied.
  package let denied: String
  /// The permission: always.
  package let always: String
  /// The permission: while using.
  package let whileUsing: String
  /// The permission: precise location.
  package let precise: String
  /// The permission: approximate location.
  package let approximate: String
  /// The proximity of less than about half a meter.
  package let immediate: String
  /// The proximity of a few meters.
  package let near: String
  /// The proximity of more.
  package let far: String
  /// What a key does: allow while using.
  package let allowKey: String
  /// What a key does: allow once.
  package let onceKey: String
  /// What a key does: deny.
  package let denyKey: String
  /// What a key does: switch precise location.
  package let preciseKey: String
  /// What a key does: close the guide.
  package let closeKey: String
  /// What a key does: open the guide again.
  package let backKey: String
  /// What a key does: the next language.
  package let languageKey: String
  /// What a key does: the next visitor.
  package let nextKey: String
  /// What a key does: quit.
  package let quitKey: String
  /// How to answer a question.
  package let oneKey: String
  /// Shown while the guide is closed.
  package let closed: String
  /// The notification; {0} is the museum.
  package let welcome: String
  /// The confidence; {0} is a letter from A to D.
  package let sure: String
  /// A message; {0} is the room.
  package let room: String
  /// A message; {0} is a room without beacons.
  package let bareRoom: String
  /// A message; {0} is an exhibit to which the visitor came back.
  package let again: String
  /// A message: the museum's beacons are received.
  package let inside: String
  /// The last message; the key q quits.
  package let ended: String
  /// The source: a simulated visit.
  package let simulated: String
  /// The source: a recording.
  package let replayed: String
  /// The line in which a number is typed; {0} is the number.
  package let typing: String
  /// A message; {0} is a number that no exhibit has.
  package let noSuchNumber: String
  /// Shown above an exhibit that the visitor opened by its number.
  package let opened: String
  /// A message: the guide starts again for the next visitor.
  package let nextVisitor: String
  /// Shown on a small terminal; {0} and {1} are columns and rows.
  package let tooSmall: String
  /// The question for permission while in use.
  package let askWhenInUse: String
  /// The question for permission at any time.
  package let askAlways: String
  /// The question for precise location.
  package let askPrecise: String
  /// An answer: while using.
  package let allowWhileUsing: String
  /// An answer: once.
  package let allowOnce: String
  /// An answer: no.
  package let dontAllow: String
  /// An answer: still only while using.
  package let keepWhileUsing: String
  /// An answer: from now on always.
  package let changeToAlways: String
  /// An answer: always.
  package let alwaysAllow: String
  /// An answer: yes.
  package let allow: String
  /// An answer: until tomorrow.
  package let untilTomorrow: String
  /// The switch of a question: precise location.
  package let preciseOn: String
  /// The switch of a question: approximate location.
  package let preciseOff: String
}
