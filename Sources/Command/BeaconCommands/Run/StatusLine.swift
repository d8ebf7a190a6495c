// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The line on a terminal that shows how far a run has come and whether its client uses location.
package final class StatusLine {
  private var progress: ProgressLine

  /// Takes the streams, and whether such a line makes sense.
  package init(_ io: CommandIO, isWanted: Bool) {
    progress = ProgressLine(io, isWanted: isWanted)
  }

  /// Shows how much of a capture was read, and the client's usage indicator.
  package func show(_ share: @autoclosure () -> Double?, _ grants: ClientGrants?) {
    progress.show(share(), mark: grants.map { Self.mark($0.indicator, of: $0.name) } ?? "")
  }

  /// Shows a live client's usage indicator.
  package func show(_ style: UsageIndicator.Style, of client: String) {
    progress.show(mark: Self.mark(style, of: client))
  }

  /// Takes the line away.
  package func clear() {
    progress.clear()
  }

  /// The usage indicator in text; nothing if nothing is shown.
  package static func mark(_ style: UsageIndicator.Style, of client: String) -> String {
    switch style {
    case .none: ""
    case .hollow: "\u{25C7} \(client)"
    case .solid: "\u{25C6} \(client)"
    case .session: "\u{25C6} \(client) in the background"
    }
  }
}
