// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides what an advertiser does next; it has no bus and no clock.
package struct AdvertisingMachine: Sendable {
  /// What to do.
  package enum Action: Sendable, Equatable {
    /// Call for BlueZ's objects.
    case askForObjects
    /// Register the advertisement with the adapter of this number.
    case register(adapter: UInt16)
    /// Unregister it from the adapter of this number.
    case unregister(adapter: UInt16)
    /// Have the kernel send with the adapter of this number.
    case startKernel(adapter: UInt16)
    /// Have the kernel stop.
    case stopKernel
    /// Call for BlueZ's objects again after a wait that grows; if the start ends before that helps, for this reason.
    case askAgain(BlueZUnavailable?)
    /// The adapter sends.
    case advertising(adapter: UInt16)
    /// The adapter does not send any more.
    case interrupted(BlueZAdvertiserEvent.Interruption)
    /// The start has failed.
    case fail(BlueZUnavailable)
  }

  private enum State: Equatable {
    /// The bus or the service is awaited, or an adapter.
    case waiting
    /// BlueZ is to answer the registration with this adapter.
    case registering(UInt16)
    /// The kernel is to answer for this adapter, after BlueZ refused.
    case starting(UInt16, BlueZFailure)
    /// This adapter sends; if BlueZ refused, by the kernel.
    case advertising(UInt16, BlueZFailure?)

    var adapter: UInt16? {
      switch self {
      case .waiting: nil
      case .registering(let number), .starting(let number, _), .advertising(let number, _): number
      }
    }

    /// What ends this state at the adapter.
    var end: [Action] {
      switch self {
      case .waiting: []
      case .registering(let number), .advertising(let number, nil): [.unregister(adapter: number)]
      case .starting, .advertising(_, _?): [.stopKernel]
      }
    }
  }

  private let selection: AdapterSelection
  /// Whether the program may use the kernel's control channel.
  private let hasKernel: Bool
  private var state = State.waiting
  /// The adapters that BlueZ has described, by number.
  private var adapters: [AdapterObject] = []
  /// Whether the start has succeeded: then nothing ends the advertiser but its user.
  private var hasStarted = false

  /// Creates the machine of an advertiser.
  package init(_ selection: AdapterSelection, hasKernel: Bool = false) {
    self.selection = selection
    self.hasKernel = hasKernel
  }

  /// The adapter that sends or is to send.
  package var adapter: AdapterObject? {
    state.adapter.flatMap { number in adapters.first { $0.number == number } }
  }

  /// Why the kernel sends without BlueZ; `nil` if BlueZ sends.
  package var refusal: BlueZFailure? {
    if case .advertising(_, let refusal) = state { refusal } else { nil }
  }

  // MARK: BlueZ

  /// The service has an owner, or has lost it.
  package mutating func service(isThere: Bool) -> [Action] {
    let lost = lose(.serviceLost)
    if isThere { return lost + [.askForObjects] }
    return hasStarted ? lost : [.fail(.serviceNotRunning)]
  }

  /// The connection to the bus was lost.
  package mutating func busLost() -> [Action] { lose(.busLost) }

  private mutating func lose(_ reason: BlueZAdvertiserEvent.Interruption) -> [Action] {
    let wasSending = state != .waiting
    let end = endKernel
    (state, adapters) = (.waiting, [])
    return end + (wasSending && hasStarted ? [.interrupted(reason)] : [])
  }

  /// BlueZ described its adapters.
  package mutating func described(_ adapters: [AdapterObject]) -> [Action] {
    self.adapters = adapters
    return choose()
  }

  /// BlueZ did not describe its adapters.
  package func refused(_ reason: BlueZUnavailable) -> [Action] {
    hasStarted || !reason.isPermission ? [.askAgain(reason)] : [.fail(reason)]
  }

  /// BlueZ added an adapter.
  package mutating func added(_ adapter: AdapterObject) -> [Action] {
    adapters.removeAll { $0.number == adapter.number }
    adapters.append(adapter)
    adapters.sort { $0.number < $1.number }
    return choose()
  }

  /// BlueZ removed an adapter.
  package mutating func removed(_ number: UInt16) -> [Action] {
    let name = self.adapter?.name
    let isOurs = self.adapter?.number == number
    adapters.removeAll { $0.number == number }
    guard isOurs, let name else { return [] }
    let end = endKernel
    state = .waiting
    return end + [.interrupted(.adapterRemoved(name))] + choose()
  }

  /// An adapter was switched on or off.
  package mutating func powered(_ isOn: Bool, _ number: UInt16) -> [Action] {
    guard let index = adapters.firstIndex(where: { $0.number == number }) else { return [] }
    adapters[index].facts.isPowered = isOn
    guard !isOn, adapter?.number == number else { return choose() }
    let name = adapters[index].name
    // The kernel may keep the advertisement while the adapter is off, or forget it: register again for both.
    let end = state.end
    state = .waiting
    return end + [.interrupted(.switchedOff(name))] + choose()
  }

  // MARK: The advertisement

  /// BlueZ accepted the registration.
  package mutating func registered(with number: UInt16) -> [Action] {
    guard state == .registering(number) else { return [] }
    (state, hasStarted) = (.advertising(number, nil), true)
    return [.advertising(adapter: number)]
  }

  /// BlueZ refused the registration.
  package mutating func refused(by number: UInt16, _ failure: BlueZFailure) -> [Action] {
    guard state == .registering(number) else { return [] }
    // BlueZ passes the kernel's refusal on as this error, without its reason.
    if hasKernel, case .error("org.bluez.Error.Failed", _) = failure {
      state = .starting(number, failure)
      return [.startKernel(adapter: number)]
    }
    return refused(failure)
  }

  /// The kernel has answered for an adapter, or has removed the advertisement.
  package mutating func kernel(_ change: KernelAdvertisement.Change) -> [Action] {
    switch (change, state) {
    case (.added, .starting(let number, let failure)):
      (state, hasStarted) = (.advertising(number, failure), true)
      return [.advertising(adapter: number)]
    case (.full, .starting(_, _)):
      let name = adapter?.name ?? ""
      state = .waiting
      let reason = BlueZUnavailable.noFreeAdvertisement(adapter: name)
      return hasStarted ? [.askAgain(reason)] : [.fail(reason)]
    case (.refused, .starting(_, let failure)): return refused(failure)
    case (.removed, .advertising(_, _?)): return released()
    default: return []
    }
  }

  private mutating func refused(_ failure: BlueZFailure) -> [Action] {
    guard let adapter else { return [] }
    state = .waiting
    let (reason, isFinal) = Self.reason(failure, adapter: adapter.name)
    if hasStarted {
      return [.interrupted(.refused(adapter.name, failure)), .askAgain(reason)]
    }
    return isFinal ? [.fail(reason)] : [.askAgain(reason)]
  }

  /// BlueZ has removed the advertisement by itself.
  package mutating func released() -> [Action] {
    guard case .advertising = state, let adapter else { return [] }
    state = .waiting
    // A service that ends releases registrations, so another try immediately would fail.
    return [.interrupted(.released(adapter.name)), .askAgain(nil)]
  }

  /// The user wants no more.
  package mutating func stop() -> [Action] {
    defer { state = .waiting }
    return state.end
  }

  private var endKernel: [Action] { state.end.filter { $0 == .stopKernel } }

  /// Returns why a registration failed, and whether another try cannot help.
  private static func reason(
    _ failure: BlueZFailure,
    adapter: String
  ) -> (BlueZUnavailable, isFinal: Bool) {
    let refused = BlueZUnavailable.advertisementRefused(adapter: adapter, failure: failure)
    guard case .error(let name, _) = failure else { return (refused, false) }
    switch name {
    // BlueZ's own word for an adapter all of whose advertisements are in use.
    case "org.bluez.Error.NotPermitted": return (.noFreeAdvertisement(adapter: adapter), true)
    case "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownInterface":
      return (.cannotAdvertise(adapter: adapter), true)
    case "org.bluez.Error.NotReady": return (.adapterOff(adapter: adapter), true)
    case "org.bluez.Error.InvalidArguments", "org.bluez.Error.InvalidLength":
      return (refused, true)
    default: break
    }
    return switch failure.kind {
    case .notPermitted: (.notPermitted(failure), true)
    case .blocked: (.adapterOff(adapter: adapter), true)
    case .inProgress, .alreadyExists, .notSupported, .transient: (refused, failure.isFinal)
    }
  }

  // MARK: Choosing

  /// Registers with the first adapter that can send, if none does.
  private mutating func choose() -> [Action] {
    guard state == .waiting else { return [] }
    let selected = adapters.filter { selection.includes(name: $0.name, address: $0.address) }
    if let usable = selected.first(where: { $0.canAdvertise && $0.facts.isPowered }) {
      state = .registering(usable.number)
      return [.register(adapter: usable.number)]
    }
    guard !hasStarted else {
      // BlueZ adds the advertising manager to an adapter a little after the adapter itself, in a separate signal.
      return selected.contains { !$0.canAdvertise } ? [.askAgain(nil)] : []
    }
    if let off = selected.first(where: \.canAdvertise) {
      return [.fail(.adapterOff(adapter: off.name))]
    }
    if let unable = selected.first { return [.fail(.cannotAdvertise(adapter: unable.name))] }
    guard case .named(let name) = selection else { return [.fail(.noAdapter)] }
    let known = adapters.flatMap { [$0.name, $0.address] }
    let nearest = AdapterSelection.nearest(to: name, among: known)
    return [.fail(.adapterNotFound(name, nearest: nearest))]
  }
}
