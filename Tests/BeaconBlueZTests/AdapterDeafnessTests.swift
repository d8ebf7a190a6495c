// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import Beacons
import Testing

/// What is done about an adapter that is deaf: begin discovery anew, switch it off and on, say so.
struct AdapterDeafnessTests {
  private static let addresses: UInt64 = 5

  /// A machine that has heard a busy air for 20 s.
  private func listening(_ change: (inout DeafnessConfiguration) -> Void = { _ in })
    -> AdapterDriver
  {
    var configuration = DeafnessConfiguration()
    change(&configuration)
    var driver = AdapterDriver(.listening, configuration)
    for _ in 0..<200 {
      _ = driver.happen(.passed(0.1))
      for address in 0..<Self.addresses { hear(&driver, address) }
    }
    return driver
  }

  @discardableResult
  private func hear(_ driver: inout AdapterDriver, _ address: UInt64 = 1) -> [AdapterAction] {
    let source = DeviceAddress(address, kind: .random)
    return driver.machine.heard(from: source, uuid: nil, at: driver.now)
  }

  /// Passes time until the machine does something, as its owner does.
  private func pass(_ driver: inout AdapterDriver) -> [AdapterAction] {
    guard let deadline = driver.machine.nextDeadline else { return [] }
    return driver.happen(.passed((deadline - driver.now).seconds))
  }

  /// Answers as a daemon does that starts discovery anew.
  private func restart(_ driver: inout AdapterDriver) -> [AdapterAction] {
    driver.happen(.discovering(false)) + driver.happen(.answered(.stop, .done))
      + driver.happen(.answered(.setFilter(AdapterDriver.filter), .done))
      + driver.happen(.answered(.start, .done)) + driver.happen(.discovering(true))
  }

  private func told(_ actions: [AdapterAction]) -> [RadioState] {
    actions.compactMap { if case .tell(let state) = $0 { state } else { nil } }
  }

  private func troubles(_ actions: [AdapterAction]) -> [AdapterTrouble] {
    actions.compactMap { if case .report(let trouble) = $0 { trouble } else { nil } }
  }

  private func requests(_ actions: [AdapterAction]) -> [AdapterRequest] {
    actions.compactMap { if case .request(let request, _) = $0 { request } else { nil } }
  }

  @Test func `silence that is improbable is told, and discovery begun anew`() {
    var driver = listening()
    #expect(driver.happen(.passed(1.9)) == [])
    let actions = driver.happen(.passed(0.1))
    #expect(told(actions) == [.deaf])
    #expect(troubles(actions) == [.deaf])
    #expect(requests(actions) == [.stop])
    #expect(driver.machine.isListening)
  }

  @Test func `silence while the program stood still is not the adapter's`() {
    var driver = listening()
    driver.machine.stoodStill(until: driver.now + .seconds(80))
    #expect(driver.machine.isReceiving)
    // Nothing is known of the air any more, so only a silence counted from then on begins discovery anew.
    #expect(driver.happen(.passed(80)) == [])
    #expect(pass(&driver) == [.report(.silent), .request(.stop, attempt: 1)])
    #expect(driver.now == TestScan.at(20 + 80 + 90))
  }

  @Test func `it is deaf until something is heard, whatever the daemon says`() {
    var driver = listening()
    _ = driver.happen(.passed(2))
    #expect(told(restart(&driver)) == [])
    let actions = hear(&driver)
    #expect(told(actions) == [.listening])
    #expect(troubles(actions) == [.receivesAgain])
    #expect(hear(&driver) == [])
  }

  @Test func `when nothing helps that is said, and all is tried again later`() {
    var driver = listening()
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    let told = pass(&driver)
    #expect(troubles(told) == [.stillDeaf])
    #expect(requests(told) == [])
    let start = driver.now
    let again = pass(&driver)
    #expect(driver.now - start == DeafnessConfiguration().again)
    #expect(troubles(again) == [.deaf])
    #expect(requests(again) == [.stop])
    #expect(self.told(again) == [])
  }

  @Test func `an adapter is switched off and on where that is allowed, and stays deaf meanwhile`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    var actions = pass(&driver)
    #expect(troubles(actions) == [.powerCycled])
    #expect(requests(actions) == [.power(false)])
    #expect(driver.happen(.answered(.power(false), .done)) == [])
    actions = driver.happen(.powered(false))
    #expect(requests(actions) == [.power(true)])
    #expect(told(actions) == [])
    #expect(driver.happen(.answered(.power(true), .done)) == [])
    actions = driver.happen(.powered(true))
    #expect(requests(actions) == [.askFilterKeys])
    #expect(told(actions) == [])
    _ = driver.happen(.answered(.askFilterKeys, .filterKeys(AdapterDriver.keys)))
    _ = driver.happen(.kernel(false))
    _ = driver.happen(.answered(.setFilter(AdapterDriver.filter), .done))
    _ = driver.happen(.answered(.start, .done))
    #expect(told(driver.happen(.discovering(true))) == [])
    #expect(told(hear(&driver)) == [.listening])
  }

  @Test func `an adapter that cannot be switched is not waited for`() {
    var driver = listening { $0.powerCycles = true }
    _ = driver.happen(.passed(2))
    _ = restart(&driver)
    _ = pass(&driver)
    let actions = driver.happen(.answered(.power(false), .notPermitted))
    #expect(troubles(actions) == [.stillDeaf])
    #expect(requests(actions) == [.askFilterKeys])
  }

  @Test func `one that never comes back on is switched on once more`() {
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

  @Test func `switched off or unplugged by others it is that, and not deaf`() {
    var driver = listening()
    _ = driver.happen(.passed(2))
    #expect(told(driver.happen(.powered(false))) == [.off])
    _ = driver.happen(.passed(30))
    #expect(requests(driver.happen(.powered(true))) == [.askFilterKeys])
    driver = listening()
    _ = driver.happen(.passed(2))
    #expect(told(driver.happen(.vanished)) == [.gone])
    #expect(driver.machine.nextDeadline == nil)
  }

  @Test
  func `where too little is known the old rule holds: discovery anew, and no word of deafness`() {
    var driver = AdapterDriver(.listening)
    hear(&driver)
    let actions = pass(&driver)
    #expect(troubles(actions) == [.silent])
    #expect(told(actions) == [])
  }

  @Test func `what it heard before it was off is no measure of what it receives then`() {
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
