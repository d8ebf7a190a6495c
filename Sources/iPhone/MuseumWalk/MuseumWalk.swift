// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation

@main
enum MuseumWalk {
  static func main() {
    let guide = MuseumGuide()
    guide.open()
    withExtendedLifetime(guide) { RunLoop.main.run() }
  }
}
