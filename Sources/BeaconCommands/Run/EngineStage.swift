// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import Beacons

/// Runs an engine's driver with all that a run of the command has beside it: a program, a recording, outputs, users.
package struct EngineStage: ~Copyable {
  package private(set) var driver: EngineDriver
  private var recorder: Recorder?
  private let userActions: RunUserActions
  private let deliver: ([Delivery]) throws -> Void
  /// Receives what was admitted, and the receivers' names by now; `nil` where nobody wants to know.
  private let received: Received?
  private var receivers: [String]?
  /// When the driver next has something to do; `nil` while it has nothing.
  package private(set) var nextDeadline: Timestamp?
  /// Whether users are to be asked again, since what one did may have changed how their client stands.
  private var looksAgain = false

  /// Receives what was admitted, and the receivers' names where they may have changed.
  package typealias Received = (ScanSlice, [String]?) -> Void

  package init(
    _ configuration: Configuration,
    startingAt start: Timestamp,
    userActions: RunUserActions,
    deliver: @escaping ([Delivery]) throws -> Void,
    received: Received? = nil
  ) {
    driver = EngineDriver(configuration, startingAt: start)
    self.userActions = userActions
    self.deliver = deliver
    self.received = received
  }

  /// Lets clients be connected and their first requests be made, then delivers what they caused.
  package mutating func begin(
    _ prepare: (inout EngineDriver) throws -> Void,
    recorder makeRecorder: () throws -> Recorder?
  ) throws {
    try prepare(&driver)
    recorder = try makeRecorder()
    if recorder != nil || received != nil { driver.keepSlices() }
    let first = driver.drainDeliveries()
    if first.isEmpty { try userActions.afterTelling([], driver) } else { try hand(first) }
    try proceed()
  }

  /// Processes a batch, with what users do in its time.
  ///
  /// - Parameters:
  ///   - batch: The inputs.
  ///   - receivers: The receivers' names by now, for the recording; `nil` where they cannot have changed.
  /// - Throws: What delivering, asking users and recording throw.
  package mutating func process(_ batch: consuming ScanBatch, receivers: [String]? = nil) throws {
    self.receivers = receivers
    driver.supply(batch)
    try proceed()
    try userActions.afterHearing(driver)
  }

  /// Looks for what users did meanwhile, and performs it.
  package mutating func lookAtUsers() throws {
    try userActions.betweenBatches(driver)
    try proceed()
  }

  // MARK: The end

  /// Ends the run: delivers what is still due, unless it is interrupted, then saves what is to be saved.
  ///
  /// - Throws: What delivering, asking users and recording throw.
  package mutating func end(_ ending: EngineDriver.Ending) throws {
    scheduleActions()
    driver.endSource(ending)
    try proceed()
    try userActions.atEnd(driver)
  }

  /// Runs on behind the end until every region has settled.
  package mutating func drain() throws {
    driver.drain()
    try proceed()
  }

  /// Ends the recording.
  package mutating func endRecording() throws {
    try recorder?.end(at: driver.now)
    recorder = nil
  }

  // MARK: Steps

  /// Does what the driver says until it asks for inputs, or its source or all has ended.
  private mutating func proceed() throws {
    while true {
      scheduleActions()
      let step = driver.next()
      if case .deliver(let deliveries) = step {
        try hand(deliveries)
        continue
      }
      if looksAgain {
        looksAgain = false
        try userActions.afterHearing(driver)
      }
      switch step {
      case .deliver: continue
      case .record(let slice):
        try recorder?.record(slice, receivers: receivers)
        received?(slice, receivers)
      case .willPerform: try userActions.afterHearing(driver)
      case .recordAction(let action):
        let name = action.client == nil ? nil : userActions.client?.name
        try recorder?.record(
          RecordedUserAction(time: action.time, client: name, input: action.action)
        )
        try userActions.program?.notice(action.action, &driver)
        looksAgain = true
      case .pull(let time):
        nextDeadline = time
        return
      case .sourceEnded, .ended: return
      }
    }
  }

  /// Hands on what users of this run's client will do to the driver.
  private mutating func scheduleActions() {
    while let action = userActions.queue.next {
      userActions.queue.removeFirst()
      guard let client = userActions.recipient(of: action) else { continue }
      driver.schedule(TimedUserAction(time: action.time, client: client, action: action.input))
    }
  }

  /// Lets the outputs, the users and the program see deliveries, in this order.
  private mutating func hand(_ deliveries: [Delivery]) throws {
    try deliver(deliveries)
    try userActions.afterTelling(deliveries, driver)
    guard let program = userActions.program else { return }
    for delivery in deliveries { try program.answer(delivery, &driver) }
  }
}
