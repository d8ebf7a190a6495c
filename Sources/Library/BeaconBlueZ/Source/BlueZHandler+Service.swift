// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons
internal import DBus

/// Times of which nothing is known: this program did not run, or the Bluetooth service does not answer.
extension BlueZHandler {
  /// Reports a stall of the thread or of the whole machine, if one ended now.
  func checkStall(at now: Timestamp) {
    guard let found = clocks.checkStall(at: now) else { return }
    let overBus = receivers.receivingOverBus
    if noteStall(found.thread, overBus) { hold(overBus, from: found.thread.start) }
    if !overBus.isEmpty {
      // Signals that waited on the bus are of unknown times.
      service.stalled()
      askService()
    }
    guard let sleep = found.machine else { return }
    let byKernel = receivers.receivingByKernel
    guard noteStall(sleep, byKernel) else { return }
    intake.addSilence(of: byKernel.map { receivers[$0].number }, from: sleep.start, to: sleep.end)
  }

  /// Notes that some receivers could not receive during a stall; returns whether their silence has to be reported.
  ///
  /// A stall longer than the engine's gap needs no report: the engine detects the gap itself, its clocks stop in it,
  /// and regions keep their states.
  private func noteStall(_ stall: StallWatch.Stall, _ indices: [Int]) -> Bool {
    guard !indices.isEmpty else { return false }
    receivers.stalled(indices, until: stall.end)
    guard stall.duration <= options.timing.gap else { return false }
    outbox.add(.stalled(for: stall.duration))
    return true
  }

  /// Makes receivers deaf until the service has answered.
  private func hold(_ indices: [Int], from time: Timestamp) {
    for number in indices.map({ receivers[$0].number }) where held.insert(number).inserted {
      intake.add(.deaf, of: number, at: time)
    }
  }

  /// Asks the service whether it lives, if that is not known.
  func watchService() {
    let now = present()
    if service.isDue(at: now) { askService() }
    let known = service.horizon(at: now)
    guard service.hangs(at: now) else { return }
    outbox.add(.serviceSilent)
    isServiceSilent = true
    hold(receivers.receivingOverBus, from: known)
  }

  private func askService() {
    guard let loop else { return }
    let question = service.ask(at: clocks.now)
    let call = MethodCall(BlueZName.service, "/", BusName.peer, "Ping")
    loop.call(call, timeout: Self.callTimeout) { [weak self] result in
      let isAnswer =
        switch result {
        case .failure(.disconnected), .failure(.timedOut), .failure(.tooManyCalls): false
        default: true
        }
      self?.serviceAnswered(question, isAnswer)
    }
  }

  private func serviceAnswered(_ question: Int, _ isAnswer: Bool) {
    let now = present()
    guard service.answered(question, isAnswer: isAnswer, at: now) else { return }
    if isServiceSilent { outbox.add(.serviceAnswers) }
    isServiceSilent = false
    receivers.stalled(receivers.receivingOverBus, until: now)
    for number in held.sorted() {
      guard let index = receivers.index(ofReceiver: number), receivers[index].machine.isReceiving
      else { continue }
      intake.add(.listening, of: number, at: now)
    }
    held = []
  }

  /// Forgets a service that has ended.
  func forgetService() { (service, held, isServiceSilent) = (ServiceWatch(), [], false) }
}
