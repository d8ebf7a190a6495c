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
    guard let kind = object.required("input")?.choice(Self.inputs) else {
      // Without an input, its other keys cannot be checked.
      _ = object.entries()
      return
    }
    let entry = Entry(time: time ?? .zero, summary: Self.summary(of: members))
    switch kind {
    case "report": readReport(entry, &object)
    case "raw": readRaw(entry, &object)
    case "radio": readRadio(entry, &object)
    case "gap": readGap(entry, &object)
    case _ where Self.userActions.contains(kind): readUserAction(kind, entry, &object)
    default: readProgram(kind, entry, &object)
    }
    object.finish()
  }

  /// What a user can do in a scenario: `localTime` is its time zone.
  private static let userActions = UserAction.cases.map(\.name).filter { $0 != "zone" }

  /// The inputs that an entry of a timeline can name.
  private static let inputs =
    ["report", "raw", "radio", "gap"] + userActions + ClientRequest.cases.map(\.name)
    + ["relaunch", "terminate"]

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
    guard let reader = object.optional("receiver"), let name = reader.nonEmptyString()?.exactName
    else {
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
    guard times <= Self.mostSteps - steps.count - repetitions else {
      return object.addFault("these are more than \(Self.mostSteps) inputs in one file")
    }
    let room = TimeSpan(seconds: Self.longest).microseconds - entry.time.microseconds
    guard Int64(times - 1) <= room / step else {
      return object.addFault(
        "'every' times 'count' goes on for longer than \(Int(Self.longest)) s, a week"
      )
    }
    repetitions += times - 1
    add(action, entry)
    steps[steps.count - 1].count = times
    steps[steps.count - 1].interval = TimeSpan(microseconds: step)
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
    _ kind: String,
    _ entry: Entry,
    _ object: inout ObjectReader
  ) {
    let input = object.form { UserAction.read(kind, from: &$0) }
    let concernsAll = input?.concernsAll ?? true
    let client = readClient(&object, isRequired: !concernsAll)
    guard let input, client != nil || concernsAll else { return }
    add(.user(input, client: client), entry)
  }

  // MARK: Requests of a program

  private mutating func readProgram(
    _ kind: String,
    _ entry: Entry,
    _ object: inout ObjectReader
  ) {
    let client = readClient(&object)
    switch kind {
    case "relaunch": if let client { add(.relaunch(client: client), entry) }
    case "terminate": if let client { add(.terminate(client: client), entry) }
    default:
      if kind == "notify" { addConstraint(client, &object) }
      let request = object.form { ClientRequest.read(kind, from: &$0) }
      guard let client, let request else { return }
      if case .monitor(let region, _) = request {
        monitored.append((client, region.identifier.rawValue, region.constraint))
      }
      add(.request(request, client: client), entry)
    }
  }

  /// A notification is for a region that the client monitors, or for a separate region with its own constraint.
  private mutating func addConstraint(_ client: Int?, _ object: inout ObjectReader) {
    guard object.optional("constraint") == nil,
      case .string(let name)? = object.optional("region")?.value.content
    else { return }
    let known = monitored.last { $0.client == client && $0.region == name }
    if known == nil {
      object.addFault("'\(name)' is not monitored before this, so 'notify' needs 'constraint'")
    }
    let constraint = known?.constraint ?? .uuid(0)
    object.supply("constraint", .string(constraint.description))
  }
}
