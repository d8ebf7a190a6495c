// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import DBus

extension BlueZSurvey {
  /// How long each answer may take; a daemon that needs longer is faulty.
  private static let timeout = Duration.seconds(5)

  /// Asks the bus and BlueZ.
  ///
  /// - Parameter bus: The address of the bus; `nil` is the system bus.
  /// - Returns: The answers.
  package static func run(bus: String? = nil) async -> BlueZSurvey {
    let connection = SurveyHandler.Connection()
    let thread: BusThread
    do throws(BusFailure) {
      thread = try BusThread(
        bus.map { BusAddress($0) } ?? .system,
        makeHandler: { SurveyHandler(connection) }
      )
    } catch {
      return BlueZSurvey(Reach(error))
    }
    if let end = await connection.value() {
      await thread.stop()
      return BlueZSurvey(end)
    }
    let survey = await run(through: thread)
    await thread.stop()
    return survey
  }

  private static func run(through thread: BusThread) async -> BlueZSurvey {
    let service = DBusValue.string(BlueZName.service)
    var survey = BlueZSurvey(.answered)
    // Only for its arguments, if they can be read.
    let process = try? await thread.call(
      .bus("GetConnectionUnixProcessID", [service]),
      timeout: timeout
    )
    if case .uint32(let number) = process?.first { survey.process = Int(number) }
    do throws(CallError) {
      let objects = try await thread.call(
        MethodCall(BlueZName.service, "/", BusName.objectManager, "GetManagedObjects"),
        timeout: timeout
      )
      guard survey.read(objects.first) else {
        survey.reach = .failed(.unexpectedAnswer)
        return survey
      }
    } catch {
      survey.reach = error == .disconnected ? Reach(.lost) : .failed(BlueZFailure(error))
      return survey
    }
    for index in survey.adapters.indices {
      do throws(BlueZFailure) {
        let name = survey.adapters[index].name
        survey.adapters[index].filterKeys = try await filterKeys(of: name, through: thread)
      } catch {
        survey.adapters[index].filterFailure = error
      }
    }
    return survey
  }

  private static func filterKeys(
    of adapter: String,
    through thread: BusThread
  ) async throws(BlueZFailure) -> [String] {
    let call = MethodCall(
      BlueZName.service,
      "\(BlueZName.root)/\(adapter)",
      BlueZName.adapter,
      "GetDiscoveryFilters"
    )
    let answer: [DBusValue]
    do throws(CallError) {
      answer = try await thread.call(call, timeout: timeout)
    } catch {
      throw BlueZFailure(error)
    }
    guard case .array(_, let keys) = answer.first else { throw .unexpectedAnswer }
    return keys.compactMap(\.text)
  }

  // MARK: Reading

  /// Reads the objects, and skips those with unexpected types; returns false without any to read.
  private mutating func read(_ objects: DBusValue?) -> Bool {
    guard case .dictionary(_, let entries) = objects else { return false }
    for entry in entries {
      guard let path = entry.key.text, path.hasPrefix("/org/bluez/hci"),
        let name = path.split(separator: "/").last, path.split(separator: "/").count == 3,
        case .dictionary(_, let interfaces) = entry.value
      else { continue }
      read(interfaces, of: String(name))
    }
    adapters.sort { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
    return true
  }

  private mutating func read(_ interfaces: [DBusEntry], of name: String) {
    var adapter = Adapter(name: name)
    var isAdapter = false
    for interface in interfaces {
      switch interface.key.text {
      case BlueZName.adapter:
        isAdapter = true
        if case .dictionary(_, let properties) = interface.value {
          for property in properties { read(property, of: &adapter) }
        }
      case BlueZName.monitorManager: adapter.acceptsMonitors = true
      default: break
      }
    }
    if isAdapter { adapters.append(adapter) }
  }

  private mutating func read(_ property: DBusEntry, of adapter: inout Adapter) {
    guard case .variant(let value) = property.value else { return }
    switch (property.key.text, value) {
    case ("Address", .string(let address)): adapter.address = address
    case ("Powered", .boolean(let isOn)): adapter.isPowered = isOn
    case ("Discovering", .boolean(let isOn)): adapter.isDiscovering = isOn
    case ("Roles", .array(_, let roles)):
      adapter.isCentral = roles.contains { $0.text == "central" }
    case ("Modalias", .string(let alias)): version = Self.version(modalias: alias) ?? version
    default: break
    }
  }

  /// Returns the version in the daemon's default device identifier.
  ///
  /// For example, `usb:v1D6Bp0246d0542` is 5.66: the upper byte is the major number, the lower byte the minor number.
  static func version(modalias: String) -> String? {
    let prefix = "usb:v1D6Bp0246d"
    guard modalias.hasPrefix(prefix),
      let number = UInt16(modalias.dropFirst(prefix.count).prefix(4), radix: 16), number > 0
    else { return nil }
    return "\(number >> 8).\(number & 0xFF)"
  }
}

extension BlueZSurvey.Reach {
  /// The calls got no further than the bus.
  init(_ failure: BusFailure) {
    switch failure {
    case .forbidden(let reason): self = .busForbidden(reason)
    case .unusable(_, .refused(let name, let text)):
      self = .failed(BlueZFailure(.refused(name: name, message: text)))
    case .cannotConnect, .notGreeted, .unusable, .lost: self = .noBus("\(failure)")
    }
  }
}

/// Connects to the bus as a scan does, so that both find the same faults; a task makes the calls.
final class SurveyHandler: BusHandler {
  /// How far it got without BlueZ; `nil` if BlueZ is on the bus.
  typealias Connection = Promise<BlueZSurvey.Reach?>

  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  func connected(_ loop: BusLoop) { loop.follow(BlueZName.service) }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
    connection.set(owner == nil ? .noService : nil)
  }

  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }
  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? { nil }
  func drained(_ loop: BusLoop) {}
  var nextDeadline: Uptime? { nil }
  func timePassed(_ loop: BusLoop) {}

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    connection.set(BlueZSurvey.Reach(failure))
    return nil
  }
}
