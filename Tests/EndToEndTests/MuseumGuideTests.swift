// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The guide's screen on a real terminal, driven as a visitor drives it; and a visit that is cut short.
@Suite(.serialized) struct MuseumGuideTests {
  /// Shell functions: a terminal of a size with the guide on it, keys, and its screen.
  private static let terminal = """
    set -u
    folder=$(mktemp -d)
    socket=beacons-$$-$RANDOM
    screen() { tmux -L "$socket" capture-pane -p; }
    press() { tmux -L "$socket" send-keys "$@"; }
    wait_for() {
      for _ in $(seq 300); do
        if screen | grep -q -- "$1"; then return 0; fi
        sleep 0.1
      done
      echo "never shown: $1"
      screen
      return 1
    }
    trap 'tmux -L "$socket" kill-server 2>/dev/null; rm -rf "$folder"' EXIT
    start() {
      tmux -L "$socket" -f /dev/null new-session -d -x "$1" -y "$2" \
        "env XDG_STATE_HOME=$folder/state LC_ALL=C.UTF-8 '\(BuiltCommand.program.path)' museum \
        --plan Fixtures/museum/plan.json5 --simulate 7 --speed 5x --record $folder/visit.jsonl; \
        echo ended with \\$?; sleep 5"
    }

    """

  private static let hasTmux = FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux")

  @Test(.slow, .enabled(if: hasTmux, "tmux is not here"), .timeLimit(.minutes(3)))
  func `a visitor grants permission, is guided, revokes it and leaves`() throws {
    let run = try BuiltCommand(
      Self.terminal + """
        start 80 24
        wait_for 'allow while using' && press w
        wait_for 'while using, precise' && wait_for 'sure: '
        press p && wait_for 'while using, approximate' && wait_for 'location is approximate'
        press w && wait_for 'this time:' && press a
        wait_for 'while using, precise'
        press b && wait_for 'in the background' && press b && wait_for 'In front of you'
        press l && wait_for 'Museum des Messens'
        press d && wait_for 'abgelehnt'
        tmux -L "$socket" resize-window -x 200 -y 60 && sleep 1
        screen | awk '{ if (length($0) > widest) widest = length($0) } END { print "widest", widest }'
        tmux -L "$socket" resize-window -x 50 -y 20 && wait_for 'Der Guide braucht 60'
        tmux -L "$socket" resize-window -x 80 -y 24 && wait_for 'Vor Ihnen'
        press q && wait_for 'ended with 0'
        grep -c '"type":"user"' "$folder/visit.jsonl"
        """
    )
    #expect(!run.output.contains("never shown"), "\(run.output)")
    let widest = run.output.split(separator: "\n").first { $0.hasPrefix("widest") }
    #expect(widest.flatMap { Int($0.dropFirst(7)) } ?? 0 > 150, "\(run.output)")
    #expect(run.code == 0, "\(run.output) \(run.errors)")
  }

  @Test(.slow, .enabled(if: hasTmux, "tmux is not here"), .timeLimit(.minutes(2)))
  func `a key ends a screen of the demo, and the next one follows`() throws {
    let run = try BuiltCommand(
      Self.terminal + """
        tmux -L "$socket" -f /dev/null new-session -d -x 80 -y 24 \
          "env TMPDIR=$folder XDG_STATE_HOME=$folder/state LC_ALL=C.UTF-8 '\(BuiltCommand.program.path)' demo; \
          echo ended with \\$?; sleep 5"
        wait_for 'everything nearby' && press q
        wait_for 'while using, precise' && press q
        wait_for 'report.html' && wait_for 'ended with 0'
        """
    )
    #expect(run.code == 0 && !run.output.contains("never shown"), "\(run.output) \(run.errors)")
  }

  @Test(.slow, .timeLimit(.minutes(2)))
  func `a visit that is killed leaves a recording that can be read to its last line`() throws {
    let run = try BuiltCommand(
      """
      folder=$(mktemp -d)
      trap 'rm -rf "$folder"' EXIT
      echo "[{ at: 1, input: 'answer', choice: 'whileUsing' }]" > "$folder/answers.json5"
      XDG_STATE_HOME=$folder '\(BuiltCommand.program.path)' museum --plan Fixtures/museum/plan.json5 \
        --simulate 7 --speed 20x --answers "$folder/answers.json5" --record "$folder/visit.jsonl" \
        > "$folder/told.jsonl" &
      guide=$!
      for _ in $(seq 300); do
        if grep -q guide.exhibit "$folder/told.jsonl"; then break; fi
        sleep 0.1
      done
      # A line is recorded directly after it is shown; one more in the recording means that it is there.
      size=$(stat -c %s "$folder/visit.jsonl")
      for _ in $(seq 300); do
        if [ "$(stat -c %s "$folder/visit.jsonl")" -gt "$size" ]; then break; fi
        sleep 0.01
      done
      kill -9 $guide
      wait $guide 2>/dev/null
      grep guide.exhibit "$folder/told.jsonl" | head -n 1 > "$folder/first"
      beaconctl museum --plan Fixtures/museum/plan.json5 --from "$folder/visit.jsonl" \
        | grep guide.exhibit | head -n 1 | cmp - "$folder/first" && echo same
      """
    )
    #expect(run.output == "same\n", "\(run.output) \(run.errors)")
  }
}
