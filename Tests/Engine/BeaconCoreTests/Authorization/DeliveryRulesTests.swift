// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// What is delivered: rows D1 to D9, and E16 to E18 of iOS 12.
@Suite struct DeliveryRulesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var profiles: [AuthorizationProfile] = [.iOS13, .iOS13Point4, .iOS14]
    var authorization: EffectiveAuthorization
    var accuracy = AccuracyAuthorization.full
    var isInUse: Bool
    var isAwake = false
    var ranging: DeliveryRules.Verdict
    var crossing: DeliveryRules.Verdict
    var notification: DeliveryRules.Verdict
    var state: DeliveryRules.StateAnswer
    var starts: [LocationErrorCode?] = [nil, nil]

    var testDescription: String {
      "\(authorization) \(accuracy.name) \(isInUse ? "in use" : "out of use")\(isAwake ? " awake" : "")"
    }
  }

  static let modern: [Case] = [
    Case(
      authorization: .notDetermined,
      isInUse: true,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization)
    ),
    Case(
      authorization: .notDetermined,
      isInUse: false,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization)
    ),
    Case(
      authorization: .restricted,
      isInUse: true,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization)
    ),
    Case(
      authorization: .restricted,
      isInUse: false,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization)
    ),
    Case(
      authorization: .denied,
      isInUse: true,
      ranging: .fail(.denied),
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization),
      starts: [.denied, .regionMonitoringDenied]
    ),
    Case(
      authorization: .denied,
      isInUse: false,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization),
      starts: [.denied, .regionMonitoringDenied]
    ),
    Case(
      authorization: .servicesOff,
      isInUse: true,
      ranging: .fail(.rangingUnavailable),
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization),
      starts: [.rangingUnavailable, .regionMonitoringDenied]
    ),
    Case(
      authorization: .whenInUse,
      isInUse: true,
      ranging: .deliver,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
    Case(
      authorization: .whenInUse,
      isInUse: false,
      ranging: .drop,
      crossing: .drop,
      notification: .deliver,
      state: .unknown(.notInUse)
    ),
    Case(
      authorization: .whenInUse,
      isInUse: false,
      isAwake: true,
      ranging: .drop,
      crossing: .drop,
      notification: .deliver,
      state: .unknown(.notInUse)
    ),
    Case(
      authorization: .provisionalAlways,
      isInUse: true,
      ranging: .deliver,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
    Case(
      authorization: .provisionalAlways,
      isInUse: false,
      ranging: .drop,
      crossing: .hold,
      notification: .deliver,
      state: .unknown(.notInUse)
    ),
    Case(
      authorization: .always,
      isInUse: true,
      ranging: .deliver,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
    Case(
      authorization: .always,
      isInUse: false,
      ranging: .deliver,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
  ]

  static let twelve: [Case] = [
    Case(
      authorization: .always,
      isInUse: true,
      ranging: .deliver,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
    Case(
      authorization: .always,
      isInUse: false,
      ranging: .drop,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
    Case(
      authorization: .always,
      isInUse: false,
      isAwake: true,
      ranging: .deliver,
      crossing: .deliver,
      notification: .deliver,
      state: .cached
    ),
    Case(
      authorization: .whenInUse,
      isInUse: true,
      ranging: .deliver,
      crossing: .silent,
      notification: .deliver,
      state: .unknown(.authorization),
      starts: [nil, .regionMonitoringDenied]
    ),
    Case(
      authorization: .whenInUse,
      isInUse: false,
      ranging: .drop,
      crossing: .silent,
      notification: .deliver,
      state: .unknown(.authorization),
      starts: [nil, .regionMonitoringDenied]
    ),
    Case(
      authorization: .denied,
      isInUse: true,
      ranging: .fail(.denied),
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization),
      starts: [.denied, .regionMonitoringDenied]
    ),
    Case(
      authorization: .notDetermined,
      isInUse: true,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization)
    ),
    Case(
      authorization: .restricted,
      isInUse: true,
      ranging: .silent,
      crossing: .silent,
      notification: .silent,
      state: .unknown(.authorization)
    ),
  ]

  @Test(arguments: modern)
  func `rows D1 to D9 hold`(_ row: Case) { check(row, row.profiles) }

  @Test(arguments: twelve)
  func `rows E16 to E18 hold`(_ row: Case) { check(row, [.iOS12]) }

  private func check(_ row: Case, _ profiles: [AuthorizationProfile]) {
    for profile in profiles {
      let rules = DeliveryRules(
        profile: profile,
        authorization: row.authorization,
        accuracy: row.accuracy,
        isInUse: row.isInUse,
        isAwake: row.isAwake
      )
      #expect(rules.ranging == row.ranging)
      #expect(rules.crossing == row.crossing)
      #expect(rules.notification == row.notification)
      #expect(rules.stateRequest == row.state)
      #expect([rules.rangingStartFailure, rules.monitoringStartFailure] == row.starts)
      #expect((rules.rangingWithheld == nil) == (row.ranging == .deliver))
      #expect((rules.crossingWithheld == nil) == (row.crossing == .deliver))
    }
  }

  /// Rows U20 and U22.
  @Test(arguments: EffectiveAuthorization.allCases, [true, false])
  func `under reduced accuracy nothing is delivered, whatever is granted`(
    _ effective: EffectiveAuthorization,
    _ isInUse: Bool
  ) {
    let rules = DeliveryRules(
      profile: .iOS14,
      authorization: effective,
      accuracy: .reduced,
      isInUse: isInUse,
      isAwake: true
    )
    let full = DeliveryRules(
      profile: .iOS14,
      authorization: effective,
      accuracy: .full,
      isInUse: isInUse
    )
    #expect(rules.ranging != .deliver && rules.ranging != .drop)
    #expect(rules.crossing == .silent)
    #expect(rules.notification == .silent)
    #expect(rules.stateRequest == .unknown(effective.isAuthorized ? .accuracy : .authorization))
    #expect(rules.rangingStartFailure == full.rangingStartFailure)
    #expect(rules.monitoringStartFailure == full.monitoringStartFailure)
  }

  /// Rows U26 and U27.
  @Test func `temporary full accuracy delivers as full until it lapses`() {
    var visit = Visit(from: .w0.reduced)
    #expect(visit.client.rules(at: visit.now).ranging == .silent)
    visit.perform(.ask(.guide))
    visit.perform(.answer(.allow))
    #expect(visit.client.rules(at: visit.now).ranging == .deliver)
    visit.perform(.background)
    visit.perform(.pass(5))
    #expect(visit.client.rules(at: visit.now).ranging == .silent)
  }

  @Test func `iOS 12 lets a woken client range for a while`() {
    var visit = Visit(.iOS12, from: .a, isForeground: false)
    #expect(visit.client.rules(at: visit.now).ranging == .drop)
    visit.perform(.delivered(isCrossing: true))
    let wake = AuthorizationTiming.defaultWake
    let last = Timestamp(microseconds: (visit.now + wake).microseconds - 1)
    #expect(visit.client.rules(at: last).ranging == .deliver)
    #expect(visit.client.rules(at: visit.now + wake).ranging == .drop)
  }
}
