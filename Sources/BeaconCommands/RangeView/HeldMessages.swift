// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Takes what a command says to a person while a view has the terminal, and tells the view.
final class HeldMessages: ByteSink {
  private let screen: RangeScreen

  init(_ screen: RangeScreen) {
    self.screen = screen
  }

  let isTerminal = false

  func write(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      screen.say(String(line))
    }
  }
}
