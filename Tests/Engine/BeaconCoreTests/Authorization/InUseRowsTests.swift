// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Rows S1 to S8: when a client is in use.
@Suite struct InUseRowsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var from = SavedAuthorization.w0
    var manifest = Manifest.whole
    var isForeground = true
    var given: [Step] = []
    var when: Step
    var reason: InUseReason?
    var deadline: Double?
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "out, enter foreground",
      isForeground: false,
      when: .foreground,
      reason: .foreground
    ),
    Case(name: "foreground, leave", when: .background, reason: .grace, deadline: 5),
    Case(
      name: "foreground, leave with a session",
      given: [.ask(.startSession)],
      when: .background,
      reason: .session
    ),
    Case(
      name: "grace, enter foreground",
      given: [.background, .pass(4)],
      when: .foreground,
      reason: .foreground
    ),
    Case(name: "grace, timer", given: [.background], when: .pass(5), reason: nil),
    Case(
      name: "grace, before the timer",
      given: [.background],
      when: .pass(4.999_999),
      reason: .grace,
      deadline: 0.000_001
    ),
    Case(
      name: "grace, return at the timer's instant",
      given: [.background, .passUntilJustBefore(5)],
      when: .foreground,
      reason: .foreground
    ),
    Case(
      name: "session, stopped in the background",
      given: [.ask(.startSession), .background, .pass(100)],
      when: .ask(.stopSession),
      reason: .grace,
      deadline: 5
    ),
    Case(
      name: "session, enter foreground",
      given: [.ask(.startSession), .background],
      when: .foreground,
      reason: .foreground
    ),
    Case(
      name: "session outlives a visit to the foreground",
      given: [.ask(.startSession), .background, .foreground],
      when: .background,
      reason: .session
    ),
    Case(
      name: "session, stopped in the foreground",
      given: [.ask(.startSession), .ask(.stopSession)],
      when: .background,
      reason: .grace,
      deadline: 5
    ),
    Case(
      name: "out, start session: rejected for when in use",
      isForeground: false,
      when: .ask(.startSession),
      reason: nil
    ),
    Case(
      name: "out, start session: rejected for provisional Always",
      from: .p,
      isForeground: false,
      when: .ask(.startSession),
      reason: nil
    ),
    Case(
      name: "out, start session: allowed with Always",
      from: .a,
      isForeground: false,
      when: .ask(.startSession),
      reason: .session
    ),
    Case(
      name: "grace, start session",
      given: [.background],
      when: .ask(.startSession),
      reason: .session
    ),
    Case(
      name: "no session without the background mode",
      manifest: .clip,
      given: [.ask(.startSession)],
      when: .background,
      reason: .grace,
      deadline: 5
    ),
    Case(
      name: "a session without authorization does not keep the client in use",
      from: .dn,
      given: [.ask(.startSession)],
      when: .background,
      reason: .grace,
      deadline: 5
    ),
    Case(
      name: "nor does one started in the grace lengthen it",
      from: .dn,
      given: [.background, .pass(3)],
      when: .ask(.startSession),
      reason: .grace,
      deadline: 2
    ),
    Case(
      name: "updates stop with the authorization",
      given: [.ask(.startSession), .background],
      when: .settings(.never),
      reason: .grace,
      deadline: 5
    ),
    Case(
      name: "tapping a notification brings it to the foreground",
      isForeground: false,
      when: .user(.tapNotification(region: "museum")),
      reason: .foreground
    ),
    Case(name: "the process ends: no grace", when: .terminated, reason: nil),
    Case(
      name: "relaunched into the foreground",
      isForeground: false,
      when: .relaunched(isForeground: true),
      reason: .foreground
    ),
  ]

  @Test(arguments: cases, AuthorizationProfile.allCases)
  func `rows S1 to S8 hold`(_ row: Case, _ profile: AuthorizationProfile) {
    guard profile != .iOS12 || row.from.grant != .provisionalAlways else { return }
    var visit = Visit(
      profile,
      manifest: row.manifest,
      from: row.from,
      isForeground: row.isForeground
    )
    for step in row.given { visit.perform(step) }
    visit.perform(row.when)
    #expect(visit.client.inUseReason == row.reason)
    let deadline = row.deadline.map { visit.now + TimeSpan(seconds: $0) }
    if row.manifest != .clip { #expect(visit.client.nextDeadline == deadline) }
  }

  @Test func `a refused session has a reason`() {
    var clip = Visit(manifest: .clip)
    #expect(clip.perform(.ask(.startSession)) == [.diagnostic(.backgroundModeMissing)])
    var away = Visit(from: .w0, isForeground: false)
    #expect(away.perform(.ask(.startSession)) == [.diagnostic(.insufficientlyInUse)])
  }
}
