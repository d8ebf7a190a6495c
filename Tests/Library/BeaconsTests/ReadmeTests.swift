// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The program in the documentation is the one that is compiled and tested here.
struct ReadmeTests {
  @Test(arguments: [
    ("README.md", "GuideTests", 3),
    ("Sources/Library/Beacons/Beacons.docc/TestedProgram.md", "GuideTests", 3),
    ("Sources/Library/Beacons/Beacons.docc/TestedProgram.md", "AskingTests", 7),
  ])
  func `a page shows the program as it is tested`(page: String, test: String, lead: Int) throws {
    let text = try String(contentsOf: ProjectFiles.root.appending(path: page), encoding: .utf8)
    let file = ProjectFiles.root.appending(path: "Tests/Library/BeaconsTests/\(test).swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    // The program starts after the license header and its blank line, or after the imports too.
    let program = source.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(lead)
    #expect(text.contains("```swift\n" + program.joined(separator: "\n") + "```\n"))
  }
}
