// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import DBus
internal import Synchronization

/// A program's connection to the service, for calls and for the service's questions.
package final class ServiceConnection: Sendable {
  /// The service's question to an agent.
  package enum AgentCall: Sendable, Equatable {
    /// Ask a user; the arguments of `Ask`.
    case ask([DBusValue])
    /// Show a notification; the arguments of `Notify`.
    case notify([DBusValue])
    /// A question is no longer asked, or a notification no longer shown.
    case cancel(UInt32)
    /// The service is gone, or missing.
    case lost
  }

  /// The path of the agent's object.
  package static let agentPath = "/agent"
  /// How long a call may take; the service answers every call immediately.
  private static let timeout = Duration.seconds(10)

  private let thread: BusThread
  /// The service's question.
  package let calls: AsyncStream<AgentCall>

  /// Connects to a bus.
  ///
  /// - Throws: ``BusFailure`` if the system has no thread left.
  package init(_ bus: BusAddress) async throws {
    let (calls, continuation) = AsyncStream<AgentCall>.makeStream(
      bufferingPolicy: .bufferingNewest(256)
    )
    self.calls = calls
    let joined = AsyncStream<BusFailure?>.makeStream()
    thread = try BusThread(bus, takesDescriptors: true) {
      Handler(continuation, joined.continuation)
    }
    for await failure in joined.stream {
      if let failure { throw failure }
      break
    }
  }

  /// Calls a method of the service.
  ///
  /// - Throws: ``CallError``.
  package func call(
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue] = [],
    path: String = ServiceName.path
  ) async throws(CallError) -> [DBusValue] {
    let call = MethodCall(ServiceName.bus, path, interface, member, arguments)
    return try await thread.call(call, timeout: Self.timeout)
  }

  /// Calls a method of the bus itself.
  ///
  /// - Throws: ``CallError``.
  package func busCall(
    _ member: String,
    _ arguments: [DBusValue]
  ) async throws(CallError) -> [DBusValue] {
    try await thread.call(.bus(member, arguments), timeout: Self.timeout)
  }

  /// Closes the connection.
  package func close() async { await thread.stop() }

  private final class Handler: BusHandler {
    private let calls: AsyncStream<AgentCall>.Continuation
    private let joined: AsyncStream<BusFailure?>.Continuation

    init(
      _ calls: AsyncStream<AgentCall>.Continuation,
      _ joined: AsyncStream<BusFailure?>.Continuation
    ) {
      self.calls = calls
      self.joined = joined
    }

    deinit {
      calls.finish()
      joined.finish()
    }

    func connected(_ loop: BusLoop) { loop.follow(ServiceName.bus) }

    func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
      if owner == nil { calls.yield(.lost) }
      joined.yield(nil)
    }

    func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }

    func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
      guard let call = ObjectCall(message), call.path == ServiceConnection.agentPath,
        call.interface == ServiceName.agent
      else { return nil }
      let expected = InterfaceDescription.agent.methods.first { $0.name == call.member }
      guard let expected, expected.signature == call.signature else { return .invalidArguments }
      if call.member == "Ask" { calls.yield(.ask(call.arguments)) }
      if call.member == "Notify" { calls.yield(.notify(call.arguments)) }
      if call.member == "Cancel", case .uint32(let number)? = call.arguments.first {
        calls.yield(.cancel(number))
      }
      return .values([])
    }

    func drained(_ loop: BusLoop) {}
    var nextDeadline: Uptime? { nil }
    func timePassed(_ loop: BusLoop) {}

    func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
      joined.yield(failure)
      calls.yield(.lost)
      return nil
    }
  }
}
