// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import Foundation
import Lobby
import Testing

@Test func `an error of unknown type has its sentence with the trait Foundation`() async {
  do {
    try await watchLobby(CaptureSource(path: "/nowhere.btsnoop")) { _ in }
    Issue.record("there is no such file")
  } catch {
    #expect(error.localizedDescription == "cannot open /nowhere.btsnoop: No such file or directory")
    #expect(error is any BeaconError)
  }
}
