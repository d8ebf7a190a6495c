// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons

let uuid = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
let source = try CaptureSource(paths: Array(CommandLine.arguments.dropFirst()))
let session = BeaconSession(source)
let client = try await session.connect()
try await session.run(draining: true) {
  for shelf in 1...3 {
    await client.startMonitoring(
      Region("shelf \(shelf)", try IdentityConstraint(parsing: "\(uuid)/1/\(shelf)"))
    )
  }
  for await event in client.regionEvents where event.isCrossing {
    print(event.time, event.region, event.stateAfter)
  }
}
for visit in await client.visits {
  let arrival = visit.beganBefore ? "since before" : "since"
  let stay = visit.duration.map { "for \($0)" } ?? "and is still there"
  print(visit.region, arrival, visit.arrival, stay)
}
for remark in source.remarks { print("remark:", remark) }
