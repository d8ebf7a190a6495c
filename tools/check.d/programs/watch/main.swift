// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import Dispatch
import Glibc

let source = PacedSource(try CaptureSource(path: CommandLine.arguments[1]), speed: 1)
let session = BeaconSession(source) { level, message in print("[\(level)] \(message)") }
// The process would end at the signal otherwise.
signal(SIGTERM, SIG_IGN)
let terminated = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
terminated.setEventHandler { Task { await session.stop() } }
terminated.activate()

let client = try await session.connect()
try await session.run {
  await client.startMonitoring(
    Region("hall", try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"))
  )
  for await event in client.regionEvents { print(event.region, event.stateAfter) }
}
print("all is saved")
