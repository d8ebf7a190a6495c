// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// Secrets that systemd gives to a unit.
@Suite struct CredentialTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func secret() throws -> String? {
    let io = CommandIO(
      output: MemorySink(),
      errors: MemorySink(),
      environment: ["CREDENTIALS_DIRECTORY": folder.path("")],
      clock: FastClock(),
      user: nil,
      isInterrupted: { false }
    )
    return try io.secret(nil, or: "key")?.text
  }

  @Test func isTheFirstLineOfTheCredential() throws {
    _ = try folder.write("opens sesame\n", to: "key")
    #expect(try secret() == "opens sesame")
  }

  /// A unit has an empty one, so that it starts without a file, and names the option that is missing.
  @Test func thatIsMissingOrEmptyIsNone() throws {
    #expect(try secret() == nil)
    _ = try folder.write("\n", to: "key")
    #expect(try secret() == nil)
  }

  @Test(arguments: ["/nowhere", "key", ".", "/dev/zero"])
  func thatIsNoFileIsRefused(_ target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("key"),
      withDestinationPath: target
    )
    #expect(throws: CommandFailure.self) { try secret() }
  }

  @Test func thatHasNoFirstLineIsRefused() throws {
    _ = try folder.write("\nsecret\n", to: "key")
    #expect(throws: CommandFailure.self) { try secret() }
  }
}
