// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import DBus
import Testing

/// What a program asks for arrives at the service whole, or is refused by its name.
struct ServedFormsTests {
  static let region = Region("statue", .uuid(1))

  /// The region with another value of each property, and the names by which it is refused; none where it is carried.
  static func changes() throws -> [(property: String, Region, refused: [String])] {
    func change(
      _ property: String,
      refused: [String] = [],
      _ change: (inout Region) throws -> Void
    ) rethrows -> (property: String, Region, refused: [String]) {
      var region = Self.region
      try change(&region)
      return (property, region, refused)
    }
    return [
      change("identifier") { $0.identifier = "door" },
      change("constraint") { $0.constraint = .minor(BeaconIdentity(uuid: 2, major: 3, minor: 4)) },
      change("notifyOnEntry") { $0.notifyOnEntry = false },
      change("notifyOnExit") { $0.notifyOnExit = false },
      change("notifyEntryStateOnDisplay") { $0.notifyEntryStateOnDisplay = true },
      try change("zone") {
        $0.zone = try Zone(enterWithin: 3, leaveBeyond: 4.5)
      },
      change("enterPolicy") { $0.enterPolicy = EnterPolicy(sightings: 3, rssiFloor: -70) },
      change("exitTiming") { $0.exitTiming = .fixed(.milliseconds(8001)) },
      change("place", refused: ["place"]) { $0.place = "hall" },
    ]
  }

  /// The region as the service understands what a program sends.
  private static func served(_ region: Region) throws -> Region? {
    var machine = ServiceMachineTests.machine()
    let session = try machine.createSession(
      by: ServiceMachineTests.anna,
      ServiceMachineTests.options("a")
    )
    try machine.startMonitoring(
      region.identifier.rawValue,
      try ServiceOptions(region.constraint.wireValue, only: ServiceOptions.constraintNames)
        .constraint(),
      try ServiceOptions(.properties(region.monitoringOptions), only: Region.monitoringOptionNames),
      session: session,
      by: ServiceMachineTests.anna
    )
    for case .request(_, .monitor(let served, _)) in machine.drainActions() { return served }
    return nil
  }

  /// Row P14. A property that is added fails here until it is decided what the service does with it.
  @Test func `each property of a region is served as it is, or refused by its name`() throws {
    let properties = Mirror(reflecting: Self.region).children.compactMap(\.label)
    #expect(try Self.changes().map(\.property) == properties)
    #expect(try Self.served(Self.region) == Self.region && Self.region.partsNotServed == [])
    for (property, region, refused) in try Self.changes() {
      #expect(region != Self.region, "\(property)")
      #expect(region.partsNotServed == refused, "\(property)")
      let refusal = ClientRequest.monitor(region).refusal
      if refused.isEmpty {
        #expect(refusal == nil, "\(property)")
        #expect(try Self.served(region) == region, "\(property)")
      } else {
        let text = try #require(refusal)
        #expect(text.contains("'statue'") && refused.allSatisfy(text.contains), "\(text)")
      }
    }
  }

  /// Row P14. A wrong part of a region is refused by its name.
  @Test(arguments: [
    ("enterWithim", 3.0, "did you mean 'enterWithin'?"), ("exit", 7200, "exit must be a number"),
    ("enterWithin", 3, "need each other"), ("place", nil, "'place'"),
  ])
  func `a part of a region that is wrong is refused`(
    _ part: String,
    _ number: Double?,
    _ reason: String
  ) throws {
    let value = number.map { DBusValue.double($0) } ?? .string("hall")
    let options = ServiceOptions(.properties(["region": .properties([part: value])]))
    let error = #expect(throws: ServiceError.self) { try Region("statue", .uuid(1), options) }
    guard case .failure(let name, let text)? = error?.answer else {
      Issue.record("no failure")
      return
    }
    #expect(name == ServiceError.invalidOption.name && text.contains(reason), "\(text)")
  }

  @Test func `each request for authorization arrives as it was made`() throws {
    let requests: [AuthorizationRequest] = [
      .whenInUse, .always, .temporaryFull(purpose: "tour"), .startSession, .stopSession,
      .beginService(ServiceSession(id: 7, goal: .always, fullAccuracyPurposeKey: "tour")),
      .beginService(ServiceSession(id: 8, goal: .none)), .endService(id: 7),
    ]
    for request in requests {
      let (kind, options) = ClientRequest.served(request)
      #expect(try ClientRequest(kind: kind, ServiceOptions(options)) == .authorize(request))
    }
    #expect(throws: ServiceError.self) { try ClientRequest(kind: "range", ServiceOptions(nil)) }
  }

  /// Row P14. A property that is added fails here until it is decided for the service.
  @Test func `each property of a notification is served as it is, or refused`() throws {
    let plain = RegionNotification(
      Region("statue", Self.region.constraint),
      repeats: true,
      text: "T"
    )
    #expect(
      Mirror(reflecting: plain).children.compactMap(\.label) == ["region", "repeats", "text"]
    )
    var other = RegionNotification(plain.region, repeats: false, text: "other")
    (other.region.notifyOnEntry, other.region.notifyOnExit) = (false, false)
    for notification in [plain, other] {
      #expect(ClientRequest.notify(notification).refusal == nil)
      let served = try RegionNotification(
        "statue",
        plain.region.constraint,
        ServiceOptions(.properties(notification.options), only: RegionNotification.optionNames)
      )
      #expect(served == notification)
    }
    let silent = ClientRequest.notify(RegionNotification(plain.region, repeats: true))
    #expect(try #require(silent.refusal).contains("'statue' without a text"))
    let shown = ["identifier", "constraint", "notifyOnEntry", "notifyOnExit"]
    for (property, region, _) in try Self.changes()
    where !shown.contains(property) && property != "notifyEntryStateOnDisplay" {
      let refused = ClientRequest.notify(RegionNotification(region, repeats: true, text: "T"))
      #expect(refused.refusal != nil, "\(property)")
    }
  }

  /// Row P14. A property that is added fails here until it is decided what the service does with it.
  @Test func `each property of a manifest is served as it is`() throws {
    let usual = Manifest(whenInUse: "w", alwaysAndWhenInUse: "a")
    let changes: [(property: String, WritableKeyPath<Manifest, Bool>?, Manifest)] = [
      ("whenInUse", nil, Manifest(whenInUse: "other", alwaysAndWhenInUse: "a")),
      ("alwaysAndWhenInUse", nil, Manifest(whenInUse: "w", alwaysAndWhenInUse: "other")),
      (
        "purposes", nil,
        Manifest(
          whenInUse: "w",
          alwaysAndWhenInUse: "a",
          purposes: [.init(key: "Nav", text: "nav"), .init(key: "Art", text: "art")]
        )
      ),
      ("defaultAccuracyReduced", \.defaultAccuracyReduced, usual),
      ("backgroundLocation", \.backgroundLocation, usual),
      ("appClip", \.appClip, usual),
      ("explicitServiceSession", \.explicitServiceSession, usual),
    ]
    #expect(changes.map(\.property) == Mirror(reflecting: usual).children.compactMap(\.label))
    for (property, flag, changed) in changes {
      var manifest = changed
      if let flag { manifest[keyPath: flag] = true }
      #expect(manifest != usual, "\(property)")
      var machine = ServiceMachineTests.machine()
      _ = try machine.createSession(
        by: ServiceMachineTests.anna,
        ServiceOptions(
          .properties(["label": .string("a"), "manifest": manifest.servedValue])
        )
      )
      let served = machine.drainActions().compactMap { action -> Manifest? in
        if case .start(_, _, let manifest, _, _) = action { manifest } else { nil }
      }
      #expect(served == [manifest], "\(property)")
    }
  }

  /// Row P14.
  @Test func `an option that the service does not know is refused by its name`() throws {
    let options = DBusValue.properties(["entry": .boolean(false), "enterWithin": .double(3)])
    #expect(throws: ServiceError.unknownOption("enterWithin")) {
      try ServiceOptions(options, only: Region.monitoringOptionNames)
    }
    let error = ServiceError.unknownOption("enterWithin")
    #expect(error.name == ServiceError.invalidOption.name)
    guard case .failure(_, let text) = error.answer else {
      Issue.record("no failure")
      return
    }
    #expect(text.contains("'enterWithin'"))
  }
}
