// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons

/// Answers for the users: the guide gets its exact location, a guest an approximate one.
struct Reception: Prompter {
  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    print("\(client.name) asks: \(prompt.text)")
    return PromptAnswer(.whileUsing, precise: client.name == "guide")
  }
}

let gallery = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1")
let capture = try CaptureSource(path: CommandLine.arguments[1])
let session = BeaconSession(capture, prompter: Reception())
let manifest = Manifest(whenInUse: "To show exhibits nearby.")
let guide = try await session.connect(manifest, named: "guide")
let guest = try await session.connect(manifest, named: "guest")
let reports = try await session.run {
  for client in [guide, guest] { await client.requestAuthorization(.whenInUse) }
  return await withTaskGroup(of: String.self) { group in
    for client in [guide, guest] {
      let diagnostics = client.diagnostics
      group.addTask {
        var ticks = 0
        for await tick in client.ranging(satisfying: gallery) where !tick.beacons.isEmpty {
          ticks += 1
        }
        return "\(client.name) received \(ticks) ticks with beacons"
      }
      group.addTask {
        var reasons: [String] = []
        for await diagnostic in diagnostics { reasons.append("\(diagnostic)") }
        return "\(client.name) has diagnostics: \(reasons)"
      }
    }
    var reports: [String] = []
    for await report in group { reports.append(report) }
    return reports
  }
}
for report in reports.sorted() { print(report) }
