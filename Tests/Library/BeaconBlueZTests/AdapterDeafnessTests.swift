// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import Beacons
import Testing

/// The remedies for a deaf adapter: starting discovery again, switching it off and on, warning the operator.
struct AdapterDeafnessTests {
  private static let addresses: UInt64 = 5

  /// A machine that has received many reports for 20 s.
  private func listening(_ change: (inout DeafnessConfiguration) -> Void = { _ in })
    -> AdapterDriver
  {
    var configuration = DeafnessConfiguration()
    change(&configuration)
    var driver = AdapterDriver(.listening, configuration)
    for _ in 0..<200 {
      _ = driver.happen(.passed(0.1))
      for address in 0..<Self.addresses { receive(&driver, address) }
    }
    return driver
  }

  @discardableResult
  private func receive(_ driver: inout AdapterDriver, _ address: UInt64 = 1) -> [AdapterAction] {
    let source = DeviceAddress(address, kind: .random)
    return driver.machine.received(from: source, uuid: nil, at: driver.now)
  }

  /// Passes time until the machine does something, as its owner does.
  private func pass(_ driver: inout AdapterDriver) -> [AdapterAction] {
    guard let deadline = driver.machine.nextDeadline else { return [] }
    return driver.happen(.passed((deadline - driver.now).seconds))
  }

  /// Answers as a daemon does that starts discovery again.
  private func restart(_ driver: inout AdapterDriver) -> [AdapterAction] {
    driver.happen(.discovering(false)) + driver.happen(.answered(.stop, .done))
      + driver.happen(.answered(.setFilter(AdapterDriver.filter), .done))
      + driver.happen(.answered(.start, .done)) + driver.happen(.discovering(true))
  }

  private func states(_ actions: [AdapterAction]) -> [RadioState] {
    actions.compactMap { if case .emit(let state) = $0 { state } else { nil } }
  }

  private func troubles(_ actions: [AdapterAction]) -> [AdapterTrouble] {
    actions.compactMap { if case .warn(let trouble) = $0 { trouble } else { nil } }
  }

  private func requests(_ actions: [AdapterAction]) -> [AdapterRequest] {
    actions.compactMap { if case .request(let request, _) = $0 { request } else { nil } }
  }

  /// Row B17.
  @Test func `an improbable silence is deafness, and discovery is started again`() {
    var driver = listening()
    #expect(driver.happen(.passed(1.9)) == [])
    let actions = driver.happen(.passed(0.1))
    #expect(states(actions) == [.deaf])
    #expect(troubles(actions) == [.deaf])
    #expect(requests(actions) == [.stop])
    #expect(driver.machine.isListening)
  }

  /// A scan that ended and was not started again, although discovery runs.
  @Test func `an adapter whose scan was ended is deaf after two seconds`() {
    var driver = AdapterDriver(.listening, DeafnessConfiguration())
    receive(&driver)
    _ = driver.happen(.passed(5))
    #expect(driver.machine.scans(false, at: driver.now) == [])
    #expect(driver.happen(.passed(1.9)) == [])
    let actions = pass(&driver)
    #expect(driver.now == TestScan.at(7))
    #expect(states(actions) == [.deaf])
    #expect(requests(actions) == [.stop])
    _ = restart(&driver)
    #expect(!driver.machine.isReceiving)
    let again = driver.machine.scans(true, at: driver.now)
    #expect(states(again) == [.listening])
    #expect(driver.machine.isReceiving)
  }

  @Test func `a scan that continues shows itself by its start or its reports`() {
    var driver = AdapterDriver(.listening, DeafnessConfiguration())
    for _ in 0..<5 {
      #expect(driver.machine.scans(false, at: driver.now) == [])
      _ = driver.happen(.passed(1.5))
      #expect(driver.machine.scans(true, at: driver.now) == [])
      #expect(driver.happen(.passed(10)) == [])
    }
    #expect(driver.machine.scans(false, at: driver.now) == [])
    _ = driver.happen(.passed(1.5))
    #expect(receive(&driver) == [])
    #expect(driver.happen(.passed(20)) == [])
    // Packets were lost, among them perhaps the start.
    _ = driver.machine.scans(false, at: driver.now)
    driver.machine.forgetScan()
    #expect(driver.happen(.passed(20)) == [])
    #expect(driver.machine.isReceiving)
  }

  @Test func `silence while the program was stalled does not count against the adapter`() {
    var driver = listening()
    driver.machine.stalled(until: driver.now + .seconds(80))
    #expect(driver.machine.isReceiving)
    // What the machine knew of the transmitters is gone, so only a silence from then on starts discovery again.
    #expect(driver.happen(.passed(80)) == [])
    #expect(pass(&driver) == [.warn(.silent), .request(.stop, attempt: 1)])
    #expect(driver.now == TestScan.at(20 + 80 + 90))
  }

  @Test func `it is deaf until something is received, whatever the daemon reports`() {
    var driver = listening()
    _ = driver.happen(.passed(2))
    #expect(states(restart(&driver)) == [])
    let actions = receive(&driver)
    #expect(states(actions) == [.listening])
    #expect(troubles(actions) == [.receivesAgain])
    #expect(receive(&driver) == [])
  }

  @Test func `if no remedy helps the operator is warned, and all are tried again later`() {
    var driver = listening()
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    let last = pass(&driver)
    #expect(troubles(last) == [.stillDeaf])
    #expect(requests(last) == [])
    let start = driver.now
    let again = pass(&driver)
    #expect(driver.now - start == DeafnessConfiguration().again)
    #expect(troubles(again) == [.deaf])
    #expect(requests(again) == [.stop])
    #expect(states(again) == [])
  }

  @Test func `an adapter is switched off and on if that is allowed, and stays deaf meanwhile`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    var actions = pass(&driver)
    #expect(troubles(actions) == [.powerCycled])
    #expect(requests(actions) == [.power(false)])
    #expect(driver.happen(.answered(.power(false), .done)) == [])
    actions = driver.happen(.powered(false))
    #expect(requests(actions) == [.power(true)])
    #expect(states(actions) == [])
    #expect(driver.happen(.answered(.power(true), .done)) == [])
    actions = driver.happen(.powered(true))
    #expect(requests(actions) == [.askFilterKeys])
    #expect(states(actions) == [])
    _ = driver.happen(.answered(.askFilterKeys, .filterKeys(AdapterDriver.keys)))
    _ = driver.happen(.kernel(false))
    _ = driver.happen(.answered(.setFilter(AdapterDriver.filter), .done))
    _ = driver.happen(.answered(.start, .done))
    #expect(states(driver.happen(.discovering(true))) == [])
    #expect(states(receive(&driver)) == [.listening])
  }

  @Test func `an adapter that cannot be switched is not waited for`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    _ = pass(&driver)
    let denied = BlueZFailure.bluez("NotAuthorized")
    let actions = driver.happen(.answered(.power(false), .failed(denied)))
    #expect(troubles(actions) == [.notPermitted(denied), .stillDeaf])
    #expect(requests(actions) == [.askFilterKeys])
  }

  @Test func `an adapter that this machine switched off is switched on until that succeeds`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    _ = pass(&driver)
    _ = driver.happen(.powered(false))
    let busy = BlueZFailure.bluez("Busy")
    var waits: [TimeSpan] = []
    for _ in 0..<4 {
      let start = driver.now
      #expect(driver.happen(.answered(.power(true), .failed(busy))) == [.warn(.failed(busy))])
      #expect(requests(pass(&driver)) == [.power(true)])
      waits.append(driver.now - start)
    }
    #expect(waits.map(\.seconds) == [0.8, 1.6, 3.2, 6.4])
    #expect(requests(driver.happen(.powered(true))) == [.askFilterKeys])
  }

  @Test func `an adapter that stays switched off after the end is reported`() {
    for failure in [BlueZFailure.bluez("Busy"), .noAnswer] {
      var driver = listening { $0.powerCycles = true }
      _ = driver.happen(.passed(2))
      _ = restart(&driver)
      _ = pass(&driver)
      _ = driver.happen(.powered(false))
      #expect(requests(driver.happen(.stop)) == [.power(true)])
      let end = driver.happen(.answered(.power(true), .failed(failure)))
      #expect(end == [.warn(.leftOff(failure))])
    }
  }

  @Test func `an adapter that may go off late is still switched on again`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    _ = pass(&driver)
    let actions = driver.happen(.answered(.power(false), .failed(.noAnswer)))
    #expect(actions == [.warn(.failed(.noAnswer))])
    #expect(requests(driver.happen(.powered(false))) == [.power(true)])
  }

  @Test func `an adapter that never comes back on is switched on once more`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    _ = pass(&driver)
    _ = driver.happen(.powered(false))
    let actions = pass(&driver)
    #expect(troubles(actions) == [.stillDeaf])
    #expect(requests(actions) == [.power(true)])
    let undone = driver.machine.stop()
    #expect(requests(undone) == [.power(true)])
  }

  @Test func `an adapter that others switch off or unplug is off or gone, not deaf`() {
    var driver = listening()
    _ = driver.happen(.passed(2))
    #expect(states(driver.happen(.powered(false))) == [.off])
    _ = driver.happen(.passed(30))
    #expect(requests(driver.happen(.powered(true))) == [.askFilterKeys])
    driver = listening()
    _ = driver.happen(.passed(2))
    #expect(states(driver.happen(.vanished)) == [.gone])
    #expect(driver.machine.nextDeadline == nil)
  }

  @Test
  func `if too little is known discovery is started again, without deafness`() {
    var driver = AdapterDriver(.listening)
    receive(&driver)
    let actions = pass(&driver)
    #expect(troubles(actions) == [.silent])
    #expect(states(actions) == [])
  }

  @Test func `what it received before it was off does not count afterwards`() {
    var driver = listening()
    _ = driver.happen(.powered(false))
    _ = driver.happen(.passed(1))
    _ = driver.happen(.powered(true))
    _ = driver.happen(.answered(.askFilterKeys, .filterKeys(AdapterDriver.keys)))
    _ = driver.happen(.kernel(false))
    _ = driver.happen(.answered(.setFilter(AdapterDriver.filter), .done))
    _ = driver.happen(.answered(.start, .done))
    _ = driver.happen(.discovering(true))
    #expect(driver.happen(.passed(5)) == [])
  }
}
