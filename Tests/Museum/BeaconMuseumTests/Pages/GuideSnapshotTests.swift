// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// A page's state contains nothing that the visitor does not permit, whatever the guide's own view contains.
@Suite struct GuideSnapshotTests {
  /// A guide that is inside and has all permissions.
  static func snapshot(
    of plan: Plan,
    authorization: AuthorizationStatus = .authorizedWhenInUse,
    accuracy: AccuracyAuthorization = .full,
    confidence: Double = 0.95
  ) -> GuideSnapshot {
    let exhibit = plan.exhibits[1]
    var snapshot = GuideSnapshot(
      GuideView(
        status: .inside,
        room: plan.rooms[0],
        exhibit: exhibit,
        confidence: confidence,
        position: Plan.Point(5, 2.5),
        near: [
          GuideView.Near(exhibit: exhibit, proximity: .near, distance: nil, confidence: confidence)
        ],
        strangers: [TestScan.beacon(77, 7777)]
      ),
      authorization: authorization,
      accuracy: accuracy
    )
    snapshot.time = TestScan.at(10)
    return snapshot
  }

  private static let closed: [(AuthorizationStatus, AccuracyAuthorization, GuideStatus)] = [
    (.authorizedWhenInUse, .reduced, .reduced), (.authorizedAlways, .reduced, .reduced),
    (.denied, .full, .denied), (.restricted, .full, .denied), (.denied, .reduced, .denied),
    (.notDetermined, .full, .asking),
  ]

  @Test func `the place of a guide that was closed is not shown`() throws {
    let plan = try PlanTests.fixture()
    var snapshot = Self.snapshot(of: plan)
    snapshot.isOpen = false
    #expect(snapshot.permitted.status == .inside && snapshot.permitted.room == nil)
    let state = OperatorState(snapshot, of: plan, in: "en").json
    #expect(!state.contains(plan.exhibits[1].title["en"]) && !state.contains("95 %"), "\(state)")
  }

  @Test(arguments: closed)
  func `without permission no state names an exhibit, a room or a place`(
    authorization: AuthorizationStatus,
    accuracy: AccuracyAuthorization,
    status: GuideStatus
  ) throws {
    let plan = try PlanTests.fixture()
    let snapshot = Self.snapshot(of: plan, authorization: authorization, accuracy: accuracy)
    #expect(snapshot.permitted.status == status)
    for language in plan.languages {
      let states = [
        VisitorState(snapshot, of: plan, in: language).json,
        OperatorState(snapshot, of: plan, in: language).json,
      ]
      let names = plan.exhibits.map { $0.title[language] } + plan.rooms.map { $0.name[language] }
      for state in states {
        for name in names where state.contains("\"\(name)") {
          Issue.record("\(name) stands in \(state)")
        }
      }
      let shown = OperatorState(snapshot, of: plan, in: language).json
      #expect(
        shown.contains(
          #""room":null,"index":null,"floor":null,"x":null,"y":null,"r":null,"received":[],"near":[]"#
        )
      )
      let strangers = OperatorPhrases.of(language).strangers
      #expect(shown.contains("[\"\(strangers)\",\"0\"]"))
      #expect(
        VisitorState(snapshot, of: plan, in: language).json.contains(
          #""place":null"#
        )
      )
    }
  }

  @Test func `with permission everything is shown`() throws {
    let plan = try PlanTests.fixture()
    let snapshot = Self.snapshot(of: plan)
    #expect(snapshot.permitted == snapshot.view)
    let shown = OperatorState(snapshot, of: plan, in: "en").json
    #expect(shown.contains(#""room":0,"index":1,"floor":0,"#))
    #expect(shown.contains(#""received":[1],"near":[["1","near","95 %"]]"#))
    #expect(shown.contains(#"["Beacons outside the plan","1: 77/7777"]"#))
  }

  @Test func `a grant that the guide has not processed yet shows nothing`() throws {
    let plan = try PlanTests.fixture()
    var snapshot = Self.snapshot(of: plan)
    snapshot.view.status = .reduced
    #expect(snapshot.permitted.status == .looking)
    #expect(snapshot.permitted.exhibit == nil)
    snapshot.view.status = .outside
    #expect(snapshot.permitted.status == .outside)
    #expect(snapshot.permitted.room == nil)
  }
}
