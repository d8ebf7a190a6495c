// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import Beacons
import Testing

/// An event of an adapter, and the expected actions.
struct AdapterRow: Sendable, CustomTestStringConvertible {
  enum Happening: Sendable {
    case found(powered: Bool = true, discovering: Bool = false, monitors: Bool = false)
    case vanished
    case interrupted
    case powered(Bool)
    case discovering(Bool)
    case answered(AdapterRequest, RequestOutcome)
    case late(AdapterRequest, RequestOutcome, attempt: Int)
    case activated
    case released
    case kernel(Bool)
    case kernelRemoved
    case discoveryEnded
    case passed(Double)
    case stop
  }

  let name: String
  var begun = Begun.listening
  let steps: [(Happening, [AdapterAction])]

  enum Begun: Sendable {
    case not
    case listening
    case listeningWithMonitor
  }

  var testDescription: String { name }
}

extension BlueZFailure {
  /// An error of BlueZ's own.
  static func bluez(_ name: String, _ text: String = "") -> BlueZFailure {
    .error(name: "org.bluez.Error.\(name)", text: text)
  }

  static let unknownMethod = BlueZFailure.error(
    name: "org.freedesktop.DBus.Error.UnknownMethod",
    text: ""
  )
}

/// Drives a machine and keeps its current attempt, as its owner does.
struct AdapterDriver {
  static let keys = ["Transport", "DuplicateData", "RSSI", "Pattern"]
  static let filter = DiscoveryFilter(known: keys)

  var machine: AdapterMachine
  private(set) var attempt = 0
  private(set) var seconds = 0.0

  var now: Timestamp { TestScan.at(seconds) }

  mutating func happen(_ happening: AdapterRow.Happening) -> [AdapterAction] {
    let actions = act(happening)
    for case .request(_, let attempt) in actions { self.attempt = attempt }
    return actions
  }

  private mutating func act(_ happening: AdapterRow.Happening) -> [AdapterAction] {
    switch happening {
    case .found(let powered, let discovering, let monitors):
      let facts = AdapterFacts(
        path: "/org/bluez/hci0",
        isPowered: powered,
        isDiscovering: discovering,
        acceptsMonitors: monitors
      )
      return machine.found(facts, at: now)
    case .vanished: return machine.vanished()
    case .interrupted: return machine.interrupted(at: now)
    case .powered(let isOn): return machine.powered(isOn, at: now)
    case .discovering(let isOn): return machine.discovering(isOn, at: now)
    case .answered(let request, let outcome):
      return machine.answered(request, outcome, attempt: attempt, at: now)
    case .late(let request, let outcome, let attempt):
      return machine.answered(request, outcome, attempt: attempt, at: now)
    case .activated:
      return machine.monitorActivated()
    case .released: return machine.monitorReleased()
    case .kernel(let isThere): return machine.kernelMonitor(isThere: isThere)
    case .kernelRemoved: return machine.kernelMonitorRemoved()
    case .discoveryEnded: return machine.kernelDiscoveryEnded(at: now)
    case .passed(let passed):
      seconds += passed
      return machine.timePassed(to: now)
    case .stop: return machine.stop()
    }
  }

  init(
    _ begun: AdapterRow.Begun,
    _ deafness: DeafnessConfiguration = DeafnessConfiguration()
  ) {
    machine = AdapterMachine(deafness)
    if begun == .not { return }
    let hasMonitor = begun == .listeningWithMonitor
    _ = happen(.found(monitors: hasMonitor))
    _ = happen(.answered(.askFilterKeys, .filterKeys(Self.keys)))
    if hasMonitor {
      _ = happen(.answered(.registerMonitor, .done))
      _ = happen(.activated)
    } else {
      _ = happen(.kernel(false))
    }
    _ = happen(.answered(.setFilter(Self.filter), .done))
    _ = happen(.answered(.start, .done))
    _ = happen(.discovering(true))
  }
}

struct AdapterMachineTests {
  private static let setFilter = AdapterRequest.setFilter(AdapterDriver.filter)
  private static let known = RequestOutcome.filterKeys(AdapterDriver.keys)

  private static let busy = BlueZFailure.bluez("InProgress", "Operation already in progress")
  private static let denied = BlueZFailure.bluez("NotAuthorized")
  private static let notReady = BlueZFailure.bluez("NotReady", "Resource Not Ready")

  private static func ask(_ request: AdapterRequest, _ attempt: Int = 1) -> AdapterAction {
    .request(request, attempt: attempt)
  }

  static let rows: [AdapterRow] = [
    AdapterRow(
      name: "the start, with a daemon that accepts monitors",
      begun: .not,
      steps: [
        (.found(monitors: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor), ask(setFilter)]),
        (.answered(.registerMonitor, .done), []),
        (.activated, []),
        (.answered(setFilter, .done), [ask(.start)]),
        (.discovering(true), []),
        (.answered(.start, .done), [.emit(.listening)]),
        (.passed(89), []),
      ]
    ),
    AdapterRow(
      name: "the start, with the kernel's monitor",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start)]),
        (.answered(.start, .done), []),
        (.discovering(true), [.emit(.listening)]),
        (.kernelRemoved, [.addKernelMonitor]),
        (.kernel(true), []),
        (.stop, [ask(.stop), .removeKernelMonitor]),
      ]
    ),
    AdapterRow(
      name: "discovery waits for its monitor, without which duplicates would be filtered",
      begun: .not,
      steps: [
        (.found(monitors: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor), ask(setFilter)]),
        (.answered(setFilter, .done), []),
        (.answered(.registerMonitor, .done), []),
        (.activated, [ask(.start)]),
      ]
    ),
    AdapterRow(
      name: "discovery does not wait for its monitor for ever",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.answered(setFilter, .done), []),
        (.passed(1.9), []),
        (.passed(0.1), [ask(.start)]),
      ]
    ),
    AdapterRow(
      name: "no monitor of any kind is reported",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.kernel(false), [.warn(.noMonitor)]),
      ]
    ),
    AdapterRow(
      name: "a daemon that does not say its keys gets the oldest ones",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (
          .answered(.askFilterKeys, .failed(.unknownMethod)),
          [.addKernelMonitor, ask(.setFilter(.ofOldDaemons))]
        ),
      ]
    ),
    AdapterRow(
      name: "a monitor that is never activated is refused, and the kernel is asked",
      begun: .not,
      steps: [
        (.found(monitors: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor), ask(setFilter)]),
        (.answered(.registerMonitor, .done), []),
        (.passed(1.9), []),
        (.passed(0.2), [.warn(.monitorRefused(nil)), .addKernelMonitor]),
      ]
    ),
    AdapterRow(
      name: "a refused monitor is reported with the answer, which may come during a later try",
      begun: .not,
      steps: [
        (.found(monitors: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor), ask(setFilter)]),
        (.answered(setFilter, .failed(notReady)), [.emit(.off), .warn(.failed(notReady))]),
        (.passed(0.8), [ask(.askFilterKeys, 2)]),
        (
          .late(.registerMonitor, .failed(.noAnswer), attempt: 1),
          [.warn(.monitorRefused(.noAnswer)), .addKernelMonitor]
        ),
      ]
    ),
    AdapterRow(
      name: "discovery that ends as soon as it starts is started after a wait",
      steps: [
        (.passed(1.9), []),
        (.discovering(false), [.emit(.off), .warn(.failed(.notDiscovering)), ask(.stop)]),
        (.passed(0.8), [ask(.askFilterKeys, 2)]),
      ]
    ),
    AdapterRow(
      name: "in mid-run too a refusal is tried again, later and later",
      steps: [
        (.passed(60), []),
        (.discovering(false), [.emit(.off), .warn(.discoveryStopped), ask(setFilter)]),
        (.answered(setFilter, .failed(busy)), [.warn(.failed(busy)), ask(.stop)]),
        (.passed(0.8), [ask(.askFilterKeys, 2)]),
        (.answered(.askFilterKeys, .failed(denied)), [.warn(.notPermitted(denied))]),
        (.passed(1.5), []),
        (.passed(0.1), [ask(.askFilterKeys, 3)]),
      ]
    ),
    AdapterRow(
      name: "a monitor that is released is asked of the kernel",
      begun: .listeningWithMonitor,
      steps: [(.released, [.warn(.monitorRefused(nil)), .addKernelMonitor])]
    ),
    AdapterRow(
      name: "powered off and on",
      steps: [
        (.powered(false), [.emit(.off), .warn(.switchedOff)]),
        (.discovering(false), []),
        (.passed(600), []),
        (.powered(true), [ask(.askFilterKeys, 3)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter, 3)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start, 3)]),
        (.answered(.start, .done), []),
        (.discovering(true), [.emit(.listening)]),
      ]
    ),
    AdapterRow(
      name: "an adapter found without power is waited for",
      begun: .not,
      steps: [
        (.found(powered: false), [.emit(.off), .warn(.switchedOff)]),
        (.passed(600), []),
        (.powered(true), [ask(.askFilterKeys, 2)]),
      ]
    ),
    AdapterRow(
      name: "unplugged or its daemon gone, and back",
      begun: .listeningWithMonitor,
      steps: [
        (.vanished, [.emit(.gone)]),
        (.vanished, []),
        (.passed(600), []),
        (.found(monitors: true), [.emit(.off), ask(.askFilterKeys, 2)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor, 2), ask(setFilter, 2)]),
      ]
    ),
    AdapterRow(
      name: "discovery ends with another client, and the filter revives it",
      steps: [
        (.passed(2), []),
        (.discovering(false), [.emit(.off), .warn(.discoveryStopped), ask(setFilter)]),
        (.answered(setFilter, .done), []),
        (.discovering(true), [.emit(.listening)]),
      ]
    ),
    AdapterRow(
      name: "what the filter does not revive is stopped, and started after a wait",
      steps: [
        (.passed(2), []),
        (.discovering(false), [.emit(.off), .warn(.discoveryStopped), ask(setFilter)]),
        (.answered(setFilter, .done), []),
        (.passed(2), [.warn(.failed(.notDiscovering)), ask(.stop)]),
        (.answered(.stop, .failed(.bluez("Failed"))), []),
        (.passed(0.8), [ask(.askFilterKeys, 2)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter, 2)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start, 2)]),
        (.answered(.start, .done), []),
        (.discovering(true), [.emit(.listening)]),
      ]
    ),
    AdapterRow(
      name: "a start that is never followed by discovering",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start)]),
        (.answered(.start, .done), []),
        (.passed(2), [.emit(.off), .warn(.discoveryStopped), ask(setFilter)]),
      ]
    ),
    AdapterRow(
      name: "in progress, and it discovers: the session is ours",
      begun: .not,
      steps: [
        (.found(discovering: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start)]),
        (.answered(.start, .failed(busy)), [.emit(.listening)]),
      ]
    ),
    AdapterRow(
      name: "in progress, and it does not discover: stop, and start after a wait",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start)]),
        (.answered(.start, .failed(busy)), [.emit(.off), .warn(.failed(busy)), ask(.stop)]),
        (.answered(.stop, .failed(busy)), []),
        (.passed(0.7), []),
        (.passed(0.1), [ask(.askFilterKeys, 2)]),
      ]
    ),
    AdapterRow(
      name: "in progress, until the kernel's discovery ends: start after a fifth of a second",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.kernel(true), []),
        (.answered(setFilter, .done), [ask(.start)]),
        (.discoveryEnded, []),
        (.answered(.start, .failed(busy)), [.emit(.off), .warn(.failed(busy)), ask(.stop)]),
        (.answered(.stop, .failed(busy)), []),
        (.passed(0.3), []),
        (.discoveryEnded, []),
        (.passed(0.1), []),
        (.passed(0.1), [ask(.askFilterKeys, 2)]),
        (.answered(.askFilterKeys, .failed(denied)), [.warn(.notPermitted(denied))]),
        (.discoveryEnded, []),
        (.passed(1.5), []),
        (.passed(0.1), [ask(.askFilterKeys, 3)]),
      ]
    ),
    AdapterRow(
      name: "not ready is tried again, later and later",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter)]),
        (.answered(setFilter, .failed(notReady)), [.emit(.off), .warn(.failed(notReady))]),
        (.passed(0.7), []),
        (.passed(0.1), [ask(.askFilterKeys, 2)]),
        (.answered(.askFilterKeys, .failed(.noAnswer)), [.warn(.failed(.noAnswer))]),
        (.passed(1.5), []),
        (.passed(0.1), [ask(.askFilterKeys, 3)]),
      ]
    ),
    AdapterRow(
      name: "a blocked adapter is reported, and power starts everything again at once",
      begun: .not,
      steps: [
        (.found(), [ask(.askFilterKeys)]),
        (
          .answered(.askFilterKeys, .failed(.bluez("Blocked"))),
          [.emit(.off), .warn(.blocked)]
        ),
        (.powered(false), [.warn(.switchedOff)]),
        (.passed(600), []),
        (.powered(true), [ask(.askFilterKeys, 3)]),
      ]
    ),
    AdapterRow(
      name: "nothing received for a long time: stop and start",
      steps: [
        (.passed(89), []),
        (.passed(1), [.warn(.silent), ask(.stop)]),
        (.discovering(false), []),
        (.answered(.stop, .done), [ask(setFilter)]),
        (.answered(setFilter, .done), [ask(.start)]),
      ]
    ),
    AdapterRow(
      name: "a monitor that the daemon has already is unregistered, and registered again once",
      begun: .not,
      steps: [
        (.found(monitors: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor), ask(setFilter)]),
        (
          .answered(.registerMonitor, .failed(.bluez("AlreadyExists"))),
          [ask(.unregisterMonitor), ask(.registerMonitor)]
        ),
        (.answered(.unregisterMonitor, .done), []),
        (
          .answered(.registerMonitor, .failed(.bluez("Failed", "no room"))),
          [.warn(.monitorRefused(.bluez("Failed", "no room"))), .addKernelMonitor]
        ),
      ]
    ),
    AdapterRow(
      name: "a monitor that the daemon has for ever ends in the kernel's",
      begun: .not,
      steps: [
        (.found(monitors: true), [ask(.askFilterKeys)]),
        (.answered(.askFilterKeys, known), [ask(.registerMonitor), ask(setFilter)]),
        (
          .answered(.registerMonitor, .failed(.bluez("AlreadyExists"))),
          [ask(.unregisterMonitor), ask(.registerMonitor)]
        ),
        (
          .answered(.registerMonitor, .failed(.bluez("AlreadyExists"))),
          [.warn(.monitorRefused(.bluez("AlreadyExists"))), .addKernelMonitor]
        ),
      ]
    ),
    AdapterRow(
      name: "stopping undoes what was done, and nothing follows",
      begun: .listeningWithMonitor,
      steps: [
        (.stop, [ask(.stop), ask(.unregisterMonitor)]),
        (.discovering(false), []),
        (.answered(.stop, .done), []),
        (.powered(false), []),
        (.found(), []),
        (.passed(600), []),
      ]
    ),
  ]

  @Test(arguments: rows)
  func `each event has its actions`(row: AdapterRow) {
    var driver = AdapterDriver(row.begun)
    for (index, (happening, expected)) in row.steps.enumerated() {
      #expect(driver.happen(happening) == expected, "step \(index + 1): \(happening)")
    }
  }

  /// Brings an interrupted adapter back as far as the answer to the start of discovery.
  private static let again: [(AdapterRow.Happening, [AdapterAction])] = [
    (.found(), [ask(.askFilterKeys, 2)]),
    (.answered(.askFilterKeys, known), [.addKernelMonitor, ask(setFilter, 2)]),
    (.kernel(false), [.warn(.noMonitor)]), (.answered(setFilter, .done), [ask(.start, 2)]),
    (.answered(.start, .done), []),
  ]

  @Test(arguments: [
    AdapterRow(
      name: "scanning again in time is no change",
      steps: [(.interrupted, []), (.passed(0.2), [])] + again + [
        (.discovering(true), []), (.passed(60), []),
        (.powered(false), [.emit(.off), .warn(.switchedOff)]),
      ]
    ),
    AdapterRow(
      name: "not there in time is gone",
      steps: [(.interrupted, []), (.passed(1.9), []), (.passed(0.2), [.emit(.gone)])]
    ),
    AdapterRow(
      name: "a second loss does not prolong the time",
      steps: [(.interrupted, []), (.passed(1), [])] + again + [
        (.interrupted, []), (.passed(1.1), [.emit(.gone)]),
      ]
    ),
    AdapterRow(
      name: "found switched off is off when the time is over",
      steps: [
        (.interrupted, []), (.found(powered: false), [.warn(.switchedOff)]),
        (.passed(2.1), [.emit(.off)]),
      ]
    ),
    AdapterRow(
      name: "an adapter that was off is gone at once",
      steps: [
        (.powered(false), [.emit(.off), .warn(.switchedOff)]), (.interrupted, [.emit(.gone)]),
        (.passed(5), []),
      ]
    ),
    AdapterRow(
      name: "the end ends the wait",
      steps: [(.interrupted, []), (.stop, []), (.passed(5), [])]
    ),
  ])
  func `a bus connection that is lost for less than two seconds changes no state`(row: AdapterRow) {
    var driver = AdapterDriver(row.begun)
    for (index, (happening, expected)) in row.steps.enumerated() {
      #expect(driver.happen(happening) == expected, "step \(index + 1): \(happening)")
    }
  }

  @Test func `an answer to an earlier attempt is ignored`() {
    var driver = AdapterDriver(.not)
    _ = driver.happen(.found())
    var machine = driver.machine
    _ = machine.powered(false, at: driver.now)
    _ = machine.powered(true, at: driver.now)
    #expect(machine.answered(.askFilterKeys, Self.known, attempt: 1, at: driver.now) == [])
  }

  @Test func `events in any order never trap and never start a stopped machine`() {
    let requests: [AdapterRequest] = [
      .askFilterKeys, .registerMonitor, .unregisterMonitor, Self.setFilter, .start, .stop,
      .power(true), .power(false),
    ]
    let outcomes: [RequestOutcome] = [
      .done, Self.known, .failed(Self.busy), .failed(Self.notReady), .failed(.bluez("Blocked")),
      .failed(.bluez("AlreadyExists")), .failed(.bluez("NotPermitted")), .failed(.bluez("x")),
      .failed(.noAnswer),
    ]
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var driver = AdapterDriver(.not)
      var isStopped = false
      for _ in 0..<300 {
        let isOn = Bool.random(using: &random)
        let request = requests.randomElement(using: &random) ?? .start
        let outcome = outcomes.randomElement(using: &random) ?? .done
        let happening: AdapterRow.Happening =
          switch Int.random(in: 0..<(isStopped ? 12 : 13), using: &random) {
          case 0: .found(powered: isOn, discovering: isOn, monitors: isOn)
          case 1: .vanished
          case 2: .powered(isOn)
          case 3, 4: .discovering(isOn)
          case 5, 6, 7: .answered(request, outcome)
          case 8: isOn ? .activated : .released
          case 9: isOn ? .kernel(seed % 2 == 0) : .kernelRemoved
          case 10: .passed(Double.random(in: 0...100, using: &random))
          case 11: isOn ? .interrupted : .discoveryEnded
          default: Int.random(in: 0..<50, using: &random) == 0 ? .stop : .vanished
          }
        let actions = driver.happen(happening)
        if isStopped {
          let others = actions.filter { if case .warn(.leftOff) = $0 { false } else { true } }
          #expect(others == [], "seed \(seed): \(happening)")
        }
        if case .stop = happening { isStopped = true }
      }
    }
  }
}
