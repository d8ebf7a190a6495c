// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconFormats

/// User actions are written to recordings and read back unchanged.
@Suite struct UserActionLineTests {
  static let time = Timestamp(microseconds: 1_700_000_000_123_456)

  static let inputs: [UserAction] = [
    .answer(.once, precise: false), .answer(.changeToAlways), .settings(authorization: .never),
    .settings(precise: false), .settings(authorization: .askNextTime, precise: true), .settings(),
    .services(on: false), .restriction(on: true), .foreground, .background, .screenOn, .quiet,
    .tapNotification(region: "hall \"1\""),
  ]

  private static func line(_ write: (inout CaptureLineWriter) -> Void) throws -> UserActionLine {
    var writer = CaptureLineWriter(CaptureHeader())
    write(&writer)
    var decoder = JSONLinesDecoder()
    var sink = CaptureSink()
    _ = try decoder.decode(writer.bytes.span, isLast: true, into: &sink)
    return try #require(decoder.drainNotes().userActions.first)
  }

  @Test func `a recording has each user action as a user line`() throws {
    let file = ProjectFiles.fixtures.appending(path: "recordings/user-actions.jsonl")
    var decoder = JSONLinesDecoder()
    var sink = CaptureSink()
    _ = try decoder.decode(Array(Data(contentsOf: file)).span, isLast: true, into: &sink)
    #expect(sink.drops.total == 0)
    let actions = decoder.drainNotes().userActions
    #expect(actions.first.flatMap { ClientStateLine($0) }?.grants.grant == .notDetermined)
    #expect(
      actions.dropFirst().compactMap { RecordedUserAction($0)?.input } == [
        .answer(.whileUsing, precise: false), .background, .foreground, .settings(precise: true),
        .services(on: false), .services(on: true),
      ]
    )
  }

  @Test(arguments: inputs)
  func `a user action survives writing and reading`(_ input: UserAction) throws {
    let client = input.concernsAll ? nil : "guide"
    let line = try Self.line { $0.append("user", of: client, at: Self.time, input.fields()) }
    #expect(
      RecordedUserAction(line) == RecordedUserAction(time: Self.time, client: client, input: input)
    )
  }

  @Test(arguments: ["winks", "answer", "settings", "state"])
  func `an unknown or incomplete action is nil`(_ input: String) throws {
    let client = input == "settings" ? nil : "guide"
    let fields = [FormField("input", .text(input))]
    let line = try Self.line { $0.append("user", of: client, at: Self.time, fields) }
    #expect(RecordedUserAction(line) == nil)
    #expect(ClientStateLine(line) == nil)
  }

  @Test(arguments: SavedAuthorization.Grant.allCases)
  func `a client's state survives writing and reading`(
    _ grant: SavedAuthorization.Grant
  ) throws {
    let state = ClientStateLine(
      client: "guide",
      grants: SavedAuthorization(
        grant: grant,
        until: grant == .untilMorning ? Self.time : nil,
        alwaysSpent: grant == .always,
        confirmationDue: grant == .provisionalAlways,
        accuracy: grant == .denied ? .reduced : .full,
        servicesOn: grant != .whenInUse,
        isRestricted: grant == .notDetermined
      )
    )
    let fields = [FormField("input", .text(ClientStateLine.input))] + state.fields()
    let line = try Self.line { $0.append("user", of: "guide", at: Self.time, fields) }
    #expect(ClientStateLine(line) == state)
  }
}
