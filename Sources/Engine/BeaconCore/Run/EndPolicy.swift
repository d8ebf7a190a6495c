// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How runs end, in one table.
///
/// | the run ends because | every due deadline | scheduled user actions | then |
/// |---|---|---|---|
/// | its source has no more inputs | delivered | performed if they belong to the inputs, otherwise dropped | it drains if wanted |
/// | it is done | delivered | dropped | |
/// | its user interrupted it, live | delivered | dropped | |
/// | its user interrupted it, in a replay | dropped | dropped | it was cut short |
/// | it is shut down: cancelled, failed, or its program ends | dropped | dropped | clients are saved, then their regions become unknown |
///
/// The admitted inputs are recorded in each case, and every participant learns the end.
package struct EndPolicy: Sendable, Hashable {
  /// Why a run ends.
  package enum Reason: Sendable, Hashable, CaseIterable {
    /// The source has no more inputs.
    case sourceEnded
    /// The duration of the run has passed, or a participant is done.
    case done
    /// The user wants the run to stop.
    case interrupted
    /// The process that runs it ends it, while the source could continue.
    case shutDown
  }

  /// A row of the table.
  package struct Row: Sendable, Hashable {
    /// How the driver ends its inputs.
    package var ending: EngineDriver.Ending
    /// Whether the run continues without ranging until every region has settled.
    package var drains = false
    /// Whether the run ends before its source.
    package var isCutShort = false
    /// Whether regions become unknown after the clients were saved.
    package var shutsDown = false
  }

  /// Whether the source continues while nothing reads it, as a radio does and a capture does not.
  package var isLive = false
  /// Whether scheduled user actions belong to the inputs, as those of a recording: they are performed even after the
  /// last input.
  package var performsScheduled = false
  /// Whether the run continues past the end of its source.
  package var drains = false

  /// A run over the reports now.
  package static let live = EndPolicy(isLive: true)
  /// A replay of inputs.
  package static let replay = EndPolicy()
  /// A run whose user actions belong to its inputs: a session, a recording with its users, a script.
  package static let scripted = EndPolicy(performsScheduled: true)

  /// Returns the actions at the end of a run for a reason.
  package func row(_ reason: Reason) -> Row {
    switch reason {
    case .sourceEnded:
      Row(ending: .atEnd(performingScheduled: performsScheduled), drains: drains)
    case .done: Row(ending: .atEnd(performingScheduled: false))
    case .interrupted where isLive: Row(ending: .atEnd(performingScheduled: false))
    case .interrupted: Row(ending: .interrupted, isCutShort: true)
    case .shutDown: Row(ending: .interrupted, isCutShort: true, shutsDown: true)
    }
  }
}
