// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The program in the documentation is the one that is compiled and tested here.
struct ReadmeTests {
  @Test(arguments: ["README.md", "Sources/Beacons/Beacons.docc/TestedProgram.md"])
  func `a page shows the program as it is tested`(page: String) throws {
    let text = try String(contentsOf: ProjectFiles.root.appending(path: page), encoding: .utf8)
    let file = ProjectFiles.root.appending(path: "Tests/BeaconsTests/GuideTests.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    // The program starts after the licence header and its blank line.
    let program = source.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3)
    #expect(text.contains("```swift\n" + program.joined(separator: "\n") + "```\n"))
  }
}
