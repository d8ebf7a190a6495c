// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

extension ScenarioReader {
  /// Reads one entry of the timeline into its steps.
  mutating func readInput(_ reader: JSON5Reader) {
    guard case .object(let members) = reader.value.content, var object = reader.object() else {
      _ = reader.object()
      return
    }
    let time = object.required("at").flatMap(readTime)
    guard let kind = object.required("input")?.choice(of: ScenarioInputKind.self) else {
      // Without an input, its other keys cannot be checked.
      _ = object.entries()
      return
    }
    let entry = Entry(time: time ?? .zero, summary: Self.summary(of: members))
    switch kind {
    case .report: readReport(entry, &object)
    case .raw: readRaw(entry, &object)
    case .radio: readRadio(entry, &object)
    case .gap: readGap(entry, &object)
    case .answer, .settings, .services, .restriction, .foreground, .background, .screenOn, .quiet,
      .tapNotification:
      readUserAction(kind, entry, &object)
    default: readProgram(kind, entry, &object)
    }
    object.finish()
  }

  /// The values that all steps of an entry share.
  struct Entry {
    var time: TimeSpan
    var summary: String
  }

  /// Returns the entry as a timeline shows it: first its input, then its other keys without the time.
  private static func summary(of members: [JSON5Member]) -> String {
    var text = ""
    for member in members where member.key == "input" { text = ScenarioValue.text(member.value) }
    let rest = members.filter { !["at", "input", "every", "until", "count"].contains($0.key) }
    return rest.isEmpty ? text : text + " " + ScenarioValue.text(rest)
  }

  mutating func add(_ action: ScenarioStep.Action, _ entry: Entry) {
    steps.append(ScenarioStep(time: entry.time, action: action, summary: entry.summary))
  }

  // MARK: Radio inputs

  private mutating func readReport(_ entry: Entry, _ object: inout ObjectReader) {
    let reader = object.required("beacon")
    let constraint = reader?.constraint()
    var identity: BeaconIdentity?
    if case .minor(let beacon) = constraint { identity = beacon }
    if constraint != nil, identity == nil {
      reader?.addFault("beacon must be UUID/MAJOR/MINOR")
    }
    let rssi = readRSSI(&object)
    let power = object.optional("power")?.integer(in: -128...127) ?? -59
    let given = object.optional("address").flatMap(Self.readAddress)
    let receiver = readReceiver(&object)
    let identityOrNone = identity ?? BeaconIdentity(uuid: 0, major: 0, minor: 0)
    let action = ScenarioStep.Action.report(
      payload: BeaconEncoder.advertisingData(
        identityOrNone,
        measuredPower: Int8(truncatingIfNeeded: power)
      ),
      rssi: rssi,
      address: given ?? address(of: identityOrNone),
      receiver: receiver
    )
    repeatSteps(action, entry, &object)
  }

  private mutating func readRaw(_ entry: Entry, _ object: inout ObjectReader) {
    let payload = object.required("ad").flatMap(Self.readHex) ?? []
    let rssi = readRSSI(&object)
    let address = object.optional("address").flatMap(Self.readAddress)
    let receiver = readReceiver(&object)
    repeatSteps(
      .report(payload: payload, rssi: rssi, address: address, receiver: receiver),
      entry,
      &object
    )
  }

  private func readRSSI(_ object: inout ObjectReader) -> Int8? {
    guard let reader = object.required("rssi"), !reader.isNull else { return nil }
    return reader.integer(in: -127...20).map { Int8(truncatingIfNeeded: $0) }
  }

  /// Returns the address of an identity: always the same one, unless the file names another.
  private mutating func address(of identity: BeaconIdentity) -> DeviceAddress {
    if let address = addresses[identity] { return address }
    let address = DeviceAddress(0xC000_0000_0001 + UInt64(addresses.count), kind: .random)
    addresses[identity] = address
    return address
  }

  private static func readAddress(_ reader: JSON5Reader) -> DeviceAddress? {
    guard let text = reader.string() else { return nil }
    let octets = text.split(separator: ":", omittingEmptySubsequences: false)
    let bits = octets.reduce(into: UInt64?(0)) { bits, octet in
      let value = octet.utf8.count == 2 ? UInt64(octet, radix: 16) : nil
      bits = value.flatMap { value in bits.map { $0 << 8 | value } }
    }
    guard octets.count == 6, let bits else {
      reader.addFault("address must be written as AA:BB:CC:DD:EE:FF")
      return nil
    }
    return DeviceAddress(bits, kind: .random)
  }

  private static func readHex(_ reader: JSON5Reader) -> [UInt8]? {
    guard let text = reader.string() else { return nil }
    var digits: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: " ") {
      guard let digit = Hex.value(byte) else {
        reader.addFault("ad must be bytes in hexadecimal")
        return nil
      }
      digits.append(digit)
    }
    guard digits.count % 2 == 0, digits.count <= 2 * 1650 else {
      reader.addFault("ad must be whole bytes, at most the 1650 of an extended advertisement")
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private mutating func readReceiver(_ object: inout ObjectReader) -> UInt8 {
    guard let reader = object.optional("receiver"), let name = reader.nonEmptyString() else {
      return 0
    }
    if let known = receivers.firstIndex(of: name) { return UInt8(truncatingIfNeeded: known) }
    guard receivers.count < 256 else {
      reader.addFault("there are at most 256 receivers")
      return 0
    }
    receivers.append(name)
    return UInt8(truncatingIfNeeded: receivers.count - 1)
  }

  /// Adds a step once, or repeats it at an interval: up to and including a time, or a number of times.
  private mutating func repeatSteps(
    _ action: ScenarioStep.Action,
    _ entry: Entry,
    _ object: inout ObjectReader
  ) {
    let every = object.optional("every")?.number(in: 0.001...Self.longest)
    let until = object.optional("until").flatMap(readTime)
    let count = object.optional("count")?.integer(in: 1...Self.mostSteps)
    guard let every else {
      if until != nil || count != nil { object.addFault("'until' and 'count' need 'every'") }
      return add(action, entry)
    }
    guard (until == nil) != (count == nil) else {
      return object.addFault("'every' needs either 'until' or 'count'")
    }
    let step = TimeSpan(seconds: every).microseconds
    var times = count ?? 0
    if let until {
      guard until >= entry.time else { return object.addFault("'until' lies before 'at'") }
      times = Int(clamping: (until - entry.time).microseconds / step + 1)
    }
    guard times <= Self.mostSteps - steps.count else {
      return object.addFault("these are more than \(Self.mostSteps) inputs in one file")
    }
    let room = TimeSpan(seconds: Self.longest).microseconds - entry.time.microseconds
    guard Int64(times - 1) <= room / step else {
      return object.addFault(
        "'every' times 'count' goes on for longer than \(Int(Self.longest)) s, a week"
      )
    }
    for index in 0..<Int64(times) {
      var entry = entry
      entry.time = entry.time + TimeSpan(microseconds: index * step)
      add(action, entry)
    }
  }

  private mutating func readRadio(_ entry: Entry, _ object: inout ObjectReader) {
    let state = object.required("state")?.choice(of: RadioState.self) ?? .listening
    add(.radio(state, receiver: readReceiver(&object)), entry)
  }

  private mutating func readGap(_ entry: Entry, _ object: inout ObjectReader) {
    guard let until = object.required("until").flatMap(readTime) else { return }
    guard until > entry.time else { return object.addFault("'until' must lie after 'at'") }
    gaps.append(entry.time...until)
  }

  // MARK: User actions

  private mutating func readUserAction(
    _ kind: ScenarioInputKind,
    _ entry: Entry,
    _ object: inout ObjectReader
  ) {
    guard let user = UserActionKind(rawValue: kind.rawValue) else { return }
    let input = user.read(&object)
    let concernsAll = input.concernsAll
    let client = readClient(&object, isRequired: !concernsAll)
    guard client != nil || concernsAll else { return }
    add(.user(input, client: client), entry)
  }

  // MARK: Requests of a program

  private mutating func readProgram(
    _ kind: ScenarioInputKind,
    _ entry: Entry,
    _ object: inout ObjectReader
  ) {
    let client = readClient(&object)
    let request: ClientRequest?
    switch kind {
    case .requestWhenInUse: request = .authorize(.whenInUse)
    case .requestAlways: request = .authorize(.always)
    case .requestTemporaryFull:
      request = object.required("purpose")?.string()
        .map { .authorize(.temporaryFull(purpose: $0)) }
    case .monitor: request = readMonitor(client, &object)
    case .unmonitor: request = readRegion(&object).map { .stopMonitoring($0) }
    case .range:
      let region = object.optional("whileInside")?.nonEmptyString()
      request = object.required("constraint")?.constraint()
        .map { .range($0, whileInside: region.map { RegionIdentifier($0) }) }
    case .unrange:
      request = object.required("constraint")?.constraint().map { .stopRanging($0) }
    case .requestState: request = readRegion(&object).map { .requestState($0) }
    case .sessionStart: request = .authorize(.startSession)
    case .sessionStop: request = .authorize(.stopSession)
    case .notify: request = readNotify(client, &object)
    default:
      guard let client else { return }
      return add(kind == .relaunch ? .relaunch(client: client) : .terminate(client: client), entry)
    }
    if let client, let request { add(.request(request, client: client), entry) }
  }

  private func readRegion(_ object: inout ObjectReader) -> RegionIdentifier? {
    object.required("region")?.nonEmptyString().map { RegionIdentifier($0) }
  }

  private enum Assumption: String, CaseIterable {
    case unknown, inside, outside

    var state: RegionState {
      switch self {
      case .unknown: .unknown
      case .inside: .inside
      case .outside: .outside
      }
    }
  }

  private mutating func readMonitor(
    _ client: Int?,
    _ object: inout ObjectReader
  ) -> ClientRequest? {
    let identifier = readRegion(&object)
    let constraint = object.required("constraint")?.constraint()
    let onEntry = object.optional("notifyOnEntry")?.bool() ?? true
    let onExit = object.optional("notifyOnExit")?.bool() ?? true
    let onDisplay = object.optional("notifyEntryStateOnDisplay")?.bool() ?? false
    let assumed = object.optional("assuming")?.choice(of: Assumption.self)?.state
    let zone = readZone(&object)
    guard let identifier, let constraint else { return nil }
    if let client { monitored.append((client, identifier.rawValue, constraint)) }
    return .monitor(
      Region(
        identifier,
        constraint,
        notifyOnEntry: onEntry,
        notifyOnExit: onExit,
        notifyEntryStateOnDisplay: onDisplay,
        zone: zone
      ),
      assuming: assumed
    )
  }

  private func readZone(_ object: inout ObjectReader) -> Zone? {
    let inner = object.optional("enterWithin")
    let outer = object.optional("leaveBeyond")
    guard inner != nil || outer != nil else { return nil }
    guard let inner, let outer else {
      object.addFault("'enterWithin' and 'leaveBeyond' need each other")
      return nil
    }
    guard let near = inner.number(), let far = outer.number() else { return nil }
    do throws(Zone.Fault) {
      return try Zone(enterWithin: near, leaveBeyond: far)
    } catch {
      inner.addFault("\(error)")
      return nil
    }
  }

  /// A notification is for a region that the client monitors, or for a separate region with its own constraint.
  private mutating func readNotify(
    _ client: Int?,
    _ object: inout ObjectReader
  ) -> ClientRequest? {
    let identifier = readRegion(&object)
    let given = object.optional("constraint")
    let own = given?.constraint()
    let onEntry = object.optional("onEntry")?.bool() ?? true
    let onExit = object.optional("onExit")?.bool() ?? true
    let repeats = object.optional("repeats")?.bool() ?? true
    guard let client, let identifier else { return nil }
    let known = monitored.last { $0.client == client && $0.region == identifier.rawValue }
    guard let constraint = own ?? known?.constraint else {
      if given == nil {
        object.addFault(
          "'\(identifier)' is not monitored before this, so 'notify' needs 'constraint'"
        )
      }
      return nil
    }
    return .notify(
      RegionNotification(
        Region(identifier, constraint, notifyOnEntry: onEntry, notifyOnExit: onExit),
        repeats: repeats
      )
    )
  }
}

/// The inputs that an entry of a timeline can name.
enum ScenarioInputKind: String, CaseIterable {
  // Radio inputs.
  case report, raw, radio, gap
  // User actions.
  case answer, settings, services, restriction, foreground, background, screenOn, quiet
  case tapNotification
  // Requests of a program.
  case requestWhenInUse = "request.whenInUse"
  case requestAlways = "request.always"
  case requestTemporaryFull = "request.temporaryFull"
  case monitor, unmonitor, range, unrange, requestState
  case sessionStart = "session.start"
  case sessionStop = "session.stop"
  case notify, relaunch, terminate
}
