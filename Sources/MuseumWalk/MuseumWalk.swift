// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/core-location.md.

import Foundation

@main
enum MuseumWalk {
  static func main() {
    let guide = MuseumGuide()
    guide.open()
    withExtendedLifetime(guide) { RunLoop.main.run() }
  }
}
