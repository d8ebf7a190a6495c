// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import Lobby
import Testing

@Test(.timeLimit(.minutes(1))) func `a guest goes from the door to the desk`() async throws {
  let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E
  let door = BeaconIdentity(uuid: uuid, major: 1, minor: 1)
  let desk = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
  // Each character is a second; both radios listen for twelve seconds before the guest comes.
  let timeline = try Timeline("------------***--------", of: door)
    .merging(Timeline("---------------******--", of: desk))
  var crossings: [String] = []
  try await watchLobby(TimelineSource(timeline)) { line in
    let second = Int((line.time - timeline.start).seconds)
    switch line.event {
    case .regionEntered(let region, _, _): crossings.append("\(second) enter \(region)")
    case .regionExited(let region, _, _): crossings.append("\(second) exit \(region)")
    default: break
    }
  }
  #expect(crossings == ["12 enter door", "15 enter desk", "44 exit door", "50 exit desk"])
}
