// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import Testing

/// How often a machine calls a daemon that refuses, or that does not do what it answers (row B25).
struct AdapterRetryTests {
  /// A daemon that answers at once: the answer to a call, and how `Discovering` changes with it.
  struct Daemon: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var start = RequestOutcome.done
    var filter = RequestOutcome.done
    var discovering: [Bool] = []

    func answer(_ request: AdapterRequest) -> RequestOutcome {
      switch request {
      case .start: start
      case .setFilter: filter
      case .askFilterKeys: .filterKeys(AdapterDriver.keys)
      case .stop: .failed(.bluez("Failed", "No discovery started"))
      case .registerMonitor, .unregisterMonitor, .power: .done
      }
    }
  }

  /// The calls of a machine in a time.
  private struct Calls {
    /// The seconds at which discovery was started.
    var starts: [Double] = []
    /// The seconds at which the filter was set.
    var filters: [Double] = []
    /// All calls.
    var count = 0
    var failure: BlueZFailure?
  }

  /// More calls than any machine makes in an hour; a loop without a wait would not end.
  private static let most = 2000

  /// Drives a machine with a daemon for a time.
  private func run(
    _ daemon: Daemon,
    for seconds: Double,
    from begun: AdapterRow.Begun = .not,
    after first: [AdapterRow.Happening] = [.found()]
  ) -> Calls {
    var driver = AdapterDriver(begun)
    var calls = Calls()
    var actions = first.flatMap { driver.happen($0) }
    let end = driver.seconds + seconds
    while calls.count < Self.most {
      while !actions.isEmpty, calls.count < Self.most {
        switch actions.removeFirst() {
        case .request(let request, _):
          calls.count += 1
          if request == .start { calls.starts.append(driver.seconds) }
          if case .setFilter = request { calls.filters.append(driver.seconds) }
          actions += driver.happen(.answered(request, daemon.answer(request)))
          guard request == .start || request == .setFilter(AdapterDriver.filter) else { continue }
          for isOn in daemon.discovering { actions += driver.happen(.discovering(isOn)) }
        case .addKernelMonitor: actions += driver.happen(.kernel(false))
        case .removeKernelMonitor, .emit, .warn: break
        }
      }
      guard let deadline = driver.machine.nextDeadline, deadline <= TestScan.at(end) else { break }
      actions = driver.happen(.passed((deadline - driver.now).seconds))
    }
    calls.failure = driver.machine.failure
    return calls
  }

  private static func refusing(_ failure: BlueZFailure) -> Daemon {
    Daemon(testDescription: "\(failure)", start: .failed(failure))
  }

  /// The seconds of five tries.
  private static let tries = [0, 0.8, 2.4, 5.6, 12]

  static let refusals =
    [
      "Failed", "InProgress", "NotReady", "NotAuthorized", "NotSupported", "Busy", "Blocked",
    ].map { refusing(.bluez($0, "Operation already in progress")) } + [
      refusing(.noAnswer), refusing(.unknownMethod), refusing(.unexpectedAnswer),
      Daemon(testDescription: "ends at once", discovering: [true, false]),
    ]

  @Test(arguments: refusals)
  func `discovery that is refused is started five times in 15 s, and twice a minute in the end`(
    daemon: Daemon
  ) {
    let start = run(daemon, for: 15)
    #expect(start.starts.map { ($0 * 10).rounded() / 10 } == Self.tries)
    #expect(start.failure != nil)
    // 7 in the first minute, then one in 30 s.
    #expect(run(daemon, for: 3600).starts.count == 125)
  }

  @Test func `a filter that is refused is set five times in 15 s`() {
    let daemon = Daemon(testDescription: "filter", filter: .failed(.bluez("Failed")))
    let calls = run(daemon, for: 15)
    #expect(calls.filters.map { ($0 * 10).rounded() / 10 } == Self.tries)
    #expect(calls.starts == [])
  }

  @Test func `discovery that is accepted and does not run is started after waits that grow`() {
    let calls = run(Daemon(testDescription: "accepts"), for: 15)
    // Each try waits for 2 s, sets the filter again, and waits for 2 s more.
    #expect(calls.starts.map { ($0 * 10).rounded() / 10 } == [0, 4.8, 10.4])
    #expect(calls.failure == .notDiscovering)
  }

  @Test func `in mid-run the waits are the same`() {
    let busy = Daemon(testDescription: "busy", start: .failed(.bluez("InProgress")))
    let calls = run(busy, for: 15, from: .listening, after: [.passed(60), .discovering(false)])
    // The filter does not resume discovery within 2 s; then come the tries.
    let times = calls.starts.map { (($0 - 62) * 10).rounded() / 10 }
    #expect(times == Array(Self.tries.dropFirst()))
  }

  @Test(arguments: [(1, [0.8, 1.6, 3.2]), (60, [0.8, 0.8, 0.8])] as [(Double, [Double])])
  func `the waits begin again after a steady scan`(scan: Double, expected: [Double]) {
    var driver = AdapterDriver(.listening)
    var waits: [Double] = []
    for round in 0..<expected.count {
      _ = driver.happen(.passed(scan))
      _ = driver.happen(.discovering(false))
      if scan >= 2 { _ = driver.happen(.passed(2)) }
      waits.append(((driver.machine.nextDeadline ?? driver.now) - driver.now).seconds)
      _ = driver.happen(.passed(waits[round]))
      _ = driver.happen(.answered(.askFilterKeys, .filterKeys(AdapterDriver.keys)))
      _ = driver.happen(.kernel(false))
      _ = driver.happen(.answered(.setFilter(AdapterDriver.filter), .done))
      _ = driver.happen(.answered(.start, .done))
      _ = driver.happen(.discovering(true))
    }
    #expect(waits == expected)
  }

  @Test func `a scan that flaps whatever is done is not started without waits`() {
    let flapping = Daemon(testDescription: "flaps", discovering: [true, false, true, false])
    let calls = run(
      flapping,
      for: 3600,
      from: .listening,
      after: [.passed(60), .discovering(false)]
    )
    #expect(calls.starts.count <= 125)
    #expect(calls.count < Self.most)
  }
}
