// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The fixed texts of the operator's page in one language.
package struct OperatorPhrases: Phrases {
  /// The language's tag.
  package let language: String
  /// The title; {0} is the museum.
  package let title: String
  /// The label of the links.
  package let pages: String
  /// The link to the visitor's page.
  package let visitorPage: String
  /// Shown when the stream is lost.
  package let lost: String
  /// Shown in a browser without scripts.
  package let noScript: String
  /// The heading of the plan.
  package let place: String
  /// Shown if the plan has no drawing.
  package let noDrawing: String
  /// A floor without a name; {0} is its level.
  package let level: String
  /// The name of a drawing; {0} is the floor.
  package let floorPlan: String
  /// The label of the scale; {0} is a number.
  package let scale: String
  /// The key: the guide.
  package let keyGuide: String
  /// The key: the exhibit on show.
  package let keyShown: String
  /// The key: a beacon that is received.
  package let keyReceived: String
  /// The key: an exhibit.
  package let keyExhibit: String
  /// The heading and the first fact.
  package let guide: String
  /// A fact.
  package let permission: String
  /// A fact.
  package let indicator: String
  /// A fact.
  package let room: String
  /// A fact.
  package let shown: String
  /// The room is not known.
  package let notKnown: String
  /// No exhibit is on show.
  package let nothing: String
  /// The guide's status.
  package let asking: String
  /// The guide's status.
  package let denied: String
  /// The guide's status.
  package let reduced: String
  /// The guide's status.
  package let looking: String
  /// The guide's status.
  package let outside: String
  /// The guide's status.
  package let inside: String
  /// The usage indicator.
  package let indicatorOff: String
  /// The usage indicator.
  package let indicatorHollow: String
  /// The usage indicator.
  package let indicatorSolid: String
  /// The usage indicator.
  package let indicatorSession: String
  /// The caption of the exhibits.
  package let exhibits: String
  /// A column.
  package let number: String
  /// A column.
  package let exhibit: String
  /// A column.
  package let received: String
  /// A column.
  package let share: String
  /// The caption of the receivers.
  package let radios: String
  /// A column.
  package let radio: String
  /// A column.
  package let state: String
  /// A column.
  package let last: String
  /// A receiver's state.
  package let listening: String
  /// A receiver's state.
  package let off: String
  /// A receiver's state.
  package let deaf: String
  /// A receiver's state.
  package let gone: String
  /// When a receiver last received; {0} are seconds.
  package let ago: String
  /// A receiver has not received anything.
  package let never: String
  /// The caption of the counts.
  package let counts: String
  /// A column.
  package let what: String
  /// A column.
  package let howMany: String
  /// A count.
  package let advertisements: String
  /// A count.
  package let announced: String
  /// A count.
  package let strangers: String
  /// A count.
  package let readers: String
  /// A count.
  package let dropped: String
  /// A count.
  package let refused: String
  /// A table without rows.
  package let none: String
  /// Shown when the source has ended.
  package let over: String
  /// The heading of the form.
  package let lent: String
  /// The button of the form.
  package let next: String
  /// The label of the field for the code.
  package let code: String
  /// The form was accepted.
  package let done: String
  /// The code was wrong.
  package let wrongCode: String
  /// Too many codes were wrong.
  package let later: String
  /// The form could not be sent, or not now.
  package let failed: String
}
