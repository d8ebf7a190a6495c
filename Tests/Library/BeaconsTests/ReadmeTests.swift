// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The program in the documentation is the one that is compiled and tested here.
struct ReadmeTests {
  private static let articles = "Sources/Library/Beacons/Beacons.docc"
  private static let tests = "Tests/Library/BeaconsTests"
  /// The programs that `tools/check dependent` builds and runs as another developer's package.
  private static let programs = "tools/check.d/programs"

  @Test(arguments: [
    ("README.md", "\(tests)/GuideTests.swift", 3),
    ("\(articles)/TestedProgram.md", "\(tests)/GuideTests.swift", 3),
    ("\(articles)/TestedProgram.md", "\(tests)/AskingTests.swift", 7),
    ("\(articles)/WritingEvents.md", "\(programs)/Lobby/Lobby.swift", 3),
    ("\(articles)/WritingEvents.md", "\(programs)/lobby-lines/main.swift", 3),
    ("\(articles)/SeveralClients.md", "\(programs)/two-clients/main.swift", 3),
    ("\(articles)/StaysFromCaptures.md", "\(programs)/dwell/main.swift", 3),
    ("\(articles)/LongRunningProgram.md", "\(programs)/watch/main.swift", 3),
    ("\(articles)/LongRunningProgram.md", "\(programs)/AnySource.swift", 3),
    (
      "Sources/Library/BeaconTesting/BeaconTesting.docc/TwoBeacons.md",
      "\(programs)/LobbyTests/LobbyTests.swift", 3
    ),
  ])
  func `a page shows the program as it is tested`(page: String, file: String, lead: Int) throws {
    let text = try String(contentsOf: ProjectFiles.root.appending(path: page), encoding: .utf8)
    let source = try String(contentsOf: ProjectFiles.root.appending(path: file), encoding: .utf8)
    // The program starts after the license header and its blank line, or after the imports too.
    let program = source.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(lead)
    #expect(text.contains("```swift\n" + program.joined(separator: "\n") + "```\n"))
  }

  @Test(arguments: [
    ("SeveralClients.md", "two-clients"), ("StaysFromCaptures.md", "dwell"),
    ("LongRunningProgram.md", "watch"),
  ])
  func `an article shows what its program prints`(page: String, program: String) throws {
    let root = ProjectFiles.root
    let text = try String(
      contentsOf: root.appending(path: "\(Self.articles)/\(page)"),
      encoding: .utf8
    )
    let path = "\(Self.programs)/\(program)/output.txt"
    let output = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    #expect(text.contains("```\n" + output + "```\n"))
  }
}
