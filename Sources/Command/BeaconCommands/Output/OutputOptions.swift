// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconFormats

/// The output options, as given by the user.
package struct OutputOptions {
  /// An additional output.
  package struct Further {
    package var format: OutputFormat
    package var file: OutputPath

    package init(format: OutputFormat, file: OutputPath) {
      self.format = format
      self.file = file
    }
  }

  /// When color is used.
  package enum Color: String, Sendable, CaseIterable {
    case auto, always, never
  }

  /// The format of standard output; `nil` is a table on a terminal and lines of JSON elsewhere.
  package var format: OutputFormat?
  /// The format of standard output if it is not a terminal, by the configuration.
  package var piped: OutputFormat?
  /// Further outputs, each to a file.
  package var further: [Further] = []
  /// How times are written.
  package var timeStyle = EventNames.TimeStyle.local
  /// When color is used.
  package var color = Color.auto
  /// Whether a table shows the whole explanation of each crossing.
  package var explains = false
  /// Whether device addresses are shown.
  package var showsAddresses = false
  /// Whether the run is summed up at its end.
  package var wantsSummary = false
  /// Whether remarks are kept to oneself.
  package var isQuiet = false
  /// Whether the source is described on standard error.
  package var isVerbose = false

  package init() {}

  /// Returns whether colors are written; `NO_COLOR` and a terminal without any count if the user gave no option.
  package func hasColor(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && environment["NO_COLOR"] == nil
        && environment["TERM"].map { !$0.isEmpty && $0 != "dumb" } ?? true
    }
  }
}
