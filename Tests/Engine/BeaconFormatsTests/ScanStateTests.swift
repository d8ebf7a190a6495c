// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

/// When receivers listened, as captures show it (row T11).
@Suite struct ScanStateTests {
  typealias Build = CaptureBuilder

  /// One packet: its seconds from the start, its kind, its bytes, and the adapter it is of.
  struct Packet: Sendable {
    var time: Double
    var content: Content
    var adapter: UInt16 = 0

    /// A structure: LeakSanitizer does not find an array in an enumeration with three of them.
    struct Content: Sendable {
      /// The packet's type in H4, and its opcode on the monitor channel.
      let type: UInt8
      let opcode: UInt16
      let bytes: [UInt8]

      static func command(_ bytes: [UInt8]) -> Content { Content(type: 1, opcode: 2, bytes: bytes) }
      static func event(_ bytes: [UInt8]) -> Content { Content(type: 4, opcode: 3, bytes: bytes) }
      /// A packet of the monitor channel of another kind.
      static func monitor(_ opcode: UInt16, _ bytes: [UInt8]) -> Content {
        Content(type: 0, opcode: opcode, bytes: bytes)
      }
    }
  }

  static let epoch: Int64 = 1_750_000_000_000_000

  static func at(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: epoch + Int64(seconds * 1_000_000))
  }

  // MARK: Packets

  static func report(_ time: Double, of adapter: UInt16 = 0) -> Packet {
    Packet(time: time, content: .event(Build.report), adapter: adapter)
  }

  static func reports(_ range: Range<Int>, of adapter: UInt16 = 0) -> [Packet] {
    range.map { report(Double($0) + 0.5, of: adapter) }
  }

  /// A command and its answer a millisecond later.
  static func done(
    _ time: Double,
    _ opcode: UInt16,
    _ parameters: [UInt8],
    status: UInt8 = 0,
    of adapter: UInt16 = 0
  ) -> [Packet] {
    let bytes = Build.little(opcode)
    return [
      Packet(
        time: time - 0.001,
        content: .command(bytes + [UInt8(parameters.count)] + parameters),
        adapter: adapter
      ),
      Packet(time: time, content: .event([0x0E, 4, 1] + bytes + [status]), adapter: adapter),
    ]
  }

  static func scan(_ time: Double, _ isOn: Bool, status: UInt8 = 0, of adapter: UInt16 = 0)
    -> [Packet]
  {
    done(time, 0x200C, [isOn ? 1 : 0, 0], status: status, of: adapter)
  }

  /// A scan that ends and starts again with another scanning filter policy.
  static func list(_ time: Double, _ policy: UInt8 = 1, status: UInt8 = 0) -> [Packet] {
    let start = policy == 0 ? time : time + 0.1
    return scan(start - 0.1, false)
      + done(start - 0.05, 0x200B, [1, 0x10, 0, 0x10, 0, 0, policy], status: status)
      + scan(start, true)
  }

  static func extendedList(_ time: Double, policy: UInt8 = 0, channels: UInt8 = 1) -> [Packet] {
    // The old scan ends at the time, or the new one starts.
    let start = policy & 9 == 0 && channels & 1 == 1 ? time : time + 0.1
    return extended(start - 0.1, false)
      + done(start - 0.05, 0x2041, [1, policy, channels, 1, 0x10, 0, 0x10, 0])
      + extended(start, true)
  }

  static func extended(_ time: Double, _ isOn: Bool, duration: UInt16 = 0, period: UInt16 = 0)
    -> [Packet]
  {
    done(time, 0x2042, [isOn ? 1 : 0, 0] + Build.little(duration) + Build.little(period))
  }

  static func event(_ time: Double, _ bytes: [UInt8]) -> [Packet] {
    [Packet(time: time, content: .event(bytes))]
  }

  static func monitor(
    _ time: Double,
    _ opcode: UInt16,
    _ bytes: [UInt8] = [],
    of adapter: UInt16 = 0
  )
    -> [Packet]
  {
    [Packet(time: time, content: .monitor(opcode, bytes), adapter: adapter)]
  }

  /// An event of the management interface: number of the socket, code, parameters.
  static func control(_ time: Double, _ event: [UInt8]) -> [Packet] {
    monitor(time, 17, [1, 0, 0, 0] + event)
  }

  /// An announcement of an adapter.
  static func found(_ time: Double, of adapter: UInt16 = 0, address: UInt8 = 1) -> [Packet] {
    let name = Array("hci\(adapter)".utf8)
    return monitor(time, 0, [0, 1, address, 0, 0, 0, 0, 0] + name + [0, 0, 0, 0], of: adapter)
  }

  // MARK: Captures

  /// A capture of some packets in order of time.
  static func btsnoop(_ dataLink: UInt32, _ packets: [Packet]) -> [UInt8] {
    var bytes = Array("btsnoop\0".utf8) + Build.big(UInt32(1)) + Build.big(dataLink)
    for packet in packets.sorted(by: { $0.time < $1.time }) {
      let (type, opcode, content) =
        (packet.content.type, packet.content.opcode, packet.content.bytes)
      let stamp = UInt64(bitPattern: at(packet.time).microseconds + 62_168_256_000_000_000)
      let flags: UInt32 =
        dataLink == 2001 ? UInt32(packet.adapter) << 16 | UInt32(opcode) : type == 1 ? 2 : 3
      bytes += Build.record(
        flags: flags,
        stamp: stamp,
        dataLink == 1002 ? [type] + content : content
      )
    }
    return bytes
  }

  /// The states in a capture, and how many reports are in it.
  static func states(_ capture: [UInt8], blockSizes: [Int] = []) throws -> (
    states: [State], reports: Int
  ) {
    var reader = try CaptureReader(MemorySource(capture, blockSizes: blockSizes))
    var (states, reports): ([State], Int) = ([], 0)
    var previous = Timestamp.earliest
    while let batch = try reader.next() {
      for input in batch.inputs {
        #expect(input.time >= previous, "inputs are in order")
        previous = input.time
        if case .report = input { reports += 1 }
        guard case .radio(let receiver, let state, let time) = input else { continue }
        let seconds = Double(time.microseconds - epoch) / 1_000_000
        states.append(State(receiver, state, seconds))
      }
    }
    return (states, reports)
  }

  struct State: Equatable, Sendable, CustomStringConvertible {
    var receiver: UInt8
    var state: RadioState
    var time: Double

    init(_ receiver: UInt8, _ state: RadioState, _ time: Double) {
      (self.receiver, self.state, self.time) = (receiver, state, time)
    }

    var description: String { "\(receiver) \(state) \(time)" }
  }

  // MARK: Ways of not listening

  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let packets: [Packet]
    var off: Double? = 10
    var state = RadioState.off
    var on: Double? = 22
    var dataLinks: [UInt32] = [1001, 1002, 2001]
    /// States between the two.
    var between: [State] = []
    /// From when on reports follow; a second after it listens again if `nil`.
    var reportsFrom: Int?

    init(
      _ name: String,
      _ packets: [Packet],
      off: Double? = 10,
      state: RadioState = .off,
      on: Double? = 22,
      dataLinks: [UInt32] = [1001, 1002, 2001],
      between: [State] = [],
      reportsFrom: Int? = nil
    ) {
      testDescription = name
      (self.packets, self.off, self.state, self.on) = (packets, off, state, on)
      (self.dataLinks, self.between, self.reportsFrom) = (dataLinks, between, reportsFrom)
    }
  }

  static let ways =
    [
      Way("legacy scan", scan(10, false) + scan(22, true)),
      Way("extended scan", extended(10, false) + extended(22, true)),
      Way("reset", done(10, 0x0C03, []) + scan(22, true)),
      Way("hardware error", event(10, [0x10, 1, 0x42]) + scan(22, true)),
      Way("scan timeout", event(10, [0x3E, 1, 0x11]) + extended(22, true)),
      // 9.5 s from 0.5 s on, without the event.
      Way("duration", extended(0.5, true, duration: 950) + extended(22, true)),
      // 2 s of every 12.8 s.
      Way("period", extended(8, true, duration: 200, period: 10), on: 20.8),
      Way("short rests", extended(8, true, duration: 400, period: 5), off: nil, on: nil),
      Way(
        "event mask",
        done(10, 0x0C01, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0, 0])
          + done(22, 0x0C01, [UInt8](repeating: 0xFF, count: 8))
      ),
      Way(
        "low energy event mask",
        scan(0.5, true) + done(10, 0x2001, [0x1D, 0, 0, 0, 0, 0, 0, 0])
          + done(22, 0x2001, [0x1F, 0, 0, 0, 0, 0, 0, 0])
      ),
      Way(
        "mask of extended reports",
        extended(0.5, true) + done(10, 0x2001, [0x1F, 0, 0, 0, 0, 0, 0, 0])
          + done(22, 0x2001, [0x1F, 0x10, 0, 0, 0, 0, 0, 0])
      ),
      Way("suspended", control(10, [0x2D, 0, 1]) + control(22, [0x2E, 0, 0]), dataLinks: [2001]),
      Way("not suspended", control(10, [0x2D, 0, 0]), off: nil, on: nil, dataLinks: [2001]),
      Way(
        "suspended, then a scan",
        control(10, [0x2D, 0, 2]) + scan(22, true) + control(23, [0x2E, 0, 0]),
        dataLinks: [2001]
      ),
      Way("a test that was refused", done(10, 0x201D, [37], status: 0x0C), off: nil, on: nil),
      Way("a test that ended", done(10, 0x201D, [37]) + done(15, 0x201F, []) + scan(22, true)),
      Way("closed", monitor(10, 9) + monitor(15, 8) + scan(22, true), dataLinks: [2001]),
      Way(
        "removed",
        monitor(10, 1) + found(15) + monitor(15.1, 8) + scan(22, true),
        state: .gone,
        dataLinks: [2001],
        between: [State(0, .off, 15)]
      ),
      // A reset of a closed adapter, and a scan in a capture without its opening.
      Way(
        "closed, then reset",
        monitor(10, 9) + done(13, 0x0C03, []) + scan(22, true),
        dataLinks: [2001]
      ),
      // A command counts without its answer, which a capture need not contain.
      Way(
        "no answers",
        [
          Packet(time: 10, content: .command([0x0C, 0x20, 2, 0, 0])),
          Packet(time: 22, content: .command([0x0C, 0x20, 2, 1, 0])),
        ],
        reportsFrom: 25
      ),
      Way("refused", scan(10, false, status: 0x0C), off: nil, on: nil),
      Way(
        "refused by a status",
        [
          Packet(time: 10, content: .command([0x0C, 0x20, 2, 0, 0])),
          Packet(time: 10.001, content: .event([0x0F, 4, 0x0C, 1, 0x0C, 0x20])),
        ],
        off: nil,
        on: nil
      ),
      Way(
        "off, and refused to start",
        scan(10, false) + scan(15, true, status: 0x0C) + scan(22, true)
      ),
      // The report of a listed device shows nothing about the others.
      Way(
        "accept list",
        scan(0.5, true) + list(10) + [report(14), report(20)] + list(22, 0)
      ),
      Way(
        "extended accept list",
        extended(0.5, true) + extendedList(10, policy: 3) + [report(14)]
          + extendedList(22, policy: 2)
      ),
      Way(
        "decisions only",
        extended(0.5, true) + extendedList(10, policy: 8) + extendedList(22, policy: 4)
      ),
      Way(
        "coded PHY",
        extended(0.5, true) + extendedList(10, channels: 4) + extendedList(22, channels: 5)
      ),
      Way(
        "an accept list that was refused",
        scan(0.5, true) + list(10, status: 0x0C),
        off: nil,
        on: nil
      ),
      Way(
        "reset after an accept list",
        scan(0.5, true) + list(10) + done(21, 0x0C03, []) + scan(22, true)
      ),
      // Whoever scans for some devices only has these in view.
      Way("never without an accept list", list(0.5) + list(10), off: nil, on: nil),
      Way("parameters", done(10, 0x200B, [1, 0x10, 0, 0x10, 0, 0, 0]), off: nil, on: nil),
      Way(
        "two commands in a row",
        [
          Packet(time: 9.997, content: .command([0x0C, 0x20, 2, 1, 0])),
          Packet(time: 9.998, content: .command([0x0C, 0x20, 2, 0, 0])),
          Packet(time: 9.999, content: .event([0x0E, 4, 1, 0x0C, 0x20, 0x0C])),
          Packet(time: 10, content: .event([0x0E, 4, 1, 0x0C, 0x20, 0])),
        ] + scan(22, true)
      ),
      Way("less than three seconds", scan(10, false) + scan(12.999, true), off: nil, on: nil),
      Way("three seconds", scan(10, false) + scan(13, true), on: 13),
      // Reports that the controller still had follow the end of the scan.
      Way("stragglers", scan(9, false) + [report(9.75), report(10)] + scan(22, true), off: 9),
      // A receiver whose reports continue listens, whatever the commands were.
      Way(
        "wrong commands",
        scan(9, false) + [report(9.25), report(10.5), report(11.5), report(12.5)],
        off: nil,
        on: nil
      ),
      Way("a report instead of a command", scan(10, false) + [report(22)]),
      Way("cut at the end", scan(10, false), on: nil),
    ] + tests.map { Way("test \($0)", done(10, $0, [0, 0, 0]) + scan(22, true)) }

  /// Receiver tests, transmitter tests, and the mode of a device under test.
  private static let tests: [UInt16] = [
    0x201D, 0x2033, 0x204F, 0x201E, 0x2034, 0x2050, 0x207B, 0x1803,
  ]

  @Test(arguments: ways) func `a capture shows when its receiver did not listen`(_ way: Way) throws
  {
    for dataLink in way.dataLinks {
      var packets = way.packets
      packets += Self.reports(0..<9)
      if let on = way.on {
        packets += Self.reports((way.reportsFrom ?? Int(on.rounded(.up)) + 1)..<30)
      }
      // Events of a connection, which show that time passes.
      packets += (0..<30).map {
        Packet(time: Double($0) + 0.3, content: .event([0x13, 5, 1, 1, 0, 1, 0]))
      }
      let capture = Self.btsnoop(dataLink, packets)
      let found = try Self.states(capture)
      var expected: [State] = []
      if let off = way.off { expected.append(State(0, way.state, off)) }
      expected += way.between
      if let on = way.on { expected.append(State(0, .listening, on)) }
      #expect(found.states == expected, "data link \(dataLink)")
      for sizes in [[1], [7, 100], [33]] {
        let cut = try Self.states(capture, blockSizes: sizes)
        #expect(cut.states == found.states && cut.reports == found.reports)
      }
    }
  }

  @Test(arguments: [false, true])
  func `the rests of a periodic scan count without a record in them`(
    _ isEarly: Bool
  ) throws {
    // 6 s of every 60.16 s, and by a controller whose clock is fast.
    let starts = isEarly ? [0, 59.75, 119.75] : [0, 60.25, 120.5]
    let bursts = starts.flatMap { start in (0..<6).map { Self.report(start + Double($0) + 0.25) } }
    let capture = Self.btsnoop(
      1002,
      Self.extended(0.001, true, duration: 600, period: 47) + bursts
    )
    let changes = isEarly ? [60.0, 66.0, 120.0] : [60.161, 66.161, 120.321]
    #expect(
      try Self.states(capture).states == [
        State(0, .off, 6.001), State(0, .listening, changes[0]), State(0, .off, changes[1]),
        State(0, .listening, changes[2]),
      ]
    )
  }

  @Test func `a periodic scan ends with the times that a capture can have`() throws {
    // The last report is later than all times; a period after it would begin at the same time again.
    let capture = Self.btsnoop(
      1002,
      Self.extended(0.001, true, duration: 600, period: 47) + [Self.report(0.5), Self.report(1e12)]
    )
    #expect(try Self.states(capture).states.count <= 6)
  }

  // MARK: The end

  static let ends = [
    ("off", scan(10, false), [State(0, .off, 10)]),
    ("without an answer", [scan(10, false)[0]], [State(0, .off, 9.999)]),
    ("reset", done(10, 0x0C03, []), [State(0, .off, 10)]),
    (
      "within three seconds", scan(10, false) + event(12, [0x13, 5, 1, 1, 0, 1, 0]),
      [State(0, .off, 10)]
    ),
    ("resumed", scan(8, false) + scan(10, true), []),
    ("refused", scan(10, false, status: 0x0C), []),
    ("a duration that continues", extended(8, true, duration: 400), []),
  ]

  @Test(arguments: ends) func `a scan that does not resume before the end stays off`(
    _ name: String,
    _ packets: [Packet],
    _ expected: [State]
  ) throws {
    for dataLink in [1001, 1002, 2001] as [UInt32] {
      let capture = Self.btsnoop(dataLink, Self.reports(0..<8) + packets)
      #expect(try Self.states(capture).states == expected, "\(name), data link \(dataLink)")
    }
  }

  @Test(arguments: [(11.0, false), (16, true), (40, true)])
  func `a pause between two captures counts by its length`(_ start: Double, _ isPause: Bool) throws
  {
    let first = Self.btsnoop(1002, Self.reports(0..<10) + Self.scan(10, false))
    let second = Self.btsnoop(
      1002,
      Self.scan(start, true) + Self.reports(Int(start)..<Int(start) + 10)
    )
    let captures = try [first, second].enumerated().map {
      ("\($0.offset)", try CaptureReader(MemorySource($0.element)))
    }
    var reader = try MergingReader(captures)
    var states: [State] = []
    while let batch = try reader.next() {
      for case .radio(let receiver, let state, let time) in batch.inputs {
        states.append(
          State(receiver, state, Double(time.microseconds - Self.epoch) / 1_000_000)
        )
      }
    }
    // Nothing recorded in the meantime, so the receiver is gone as well.
    let pause = [State(0, .off, 10), State(0, .gone, 10), State(0, .listening, start + 0.5)]
    #expect(states == (isPause ? pause : []))
  }

  // MARK: Several adapters

  /// Row T6: else a beacon that comes later would be inside from the beginning, without an entry.
  @Test(arguments: [1001, 1002, 2001] as [UInt32])
  func `a receiver listens from its scan, if its first report is late`(_ dataLink: UInt32) throws {
    let late = Self.btsnoop(dataLink, Self.scan(1, true) + Self.reports(20..<30))
    #expect(try Self.states(late).states == [State(0, .listening, 1)])
    let prompt = Self.btsnoop(dataLink, Self.scan(1, true) + Self.reports(2..<30))
    #expect(try Self.states(prompt).states.isEmpty)
    let paused = Self.btsnoop(
      dataLink,
      Self.scan(1, true) + Self.scan(3, false) + Self.scan(15, true) + Self.reports(20..<30)
    )
    #expect(
      try Self.states(paused).states
        == [State(0, .listening, 1), State(0, .off, 3), State(0, .listening, 15)]
    )
  }

  @Test func `the adapters of a monitor each have their states`() throws {
    let capture = Self.btsnoop(
      2001,
      Self.reports(0..<10) + Self.reports(0..<30, of: 1) + Self.monitor(10, 9)
        + Self.monitor(20, 8) + Self.scan(20.1, true) + Self.reports(21..<30)
    )
    let states = try Self.states(capture).states
    #expect(states == [State(0, .off, 10), State(0, .listening, 20.1)])
  }

  @Test func `an adapter that never scanned does not count as a receiver`() throws {
    let idle =
      Self.found(0) + Self.monitor(0.01, 8) + Self.found(0, of: 1) + Self.done(5, 0x0C03, [], of: 1)
    let capture = Self.btsnoop(2001, idle + Self.reports(0..<20))
    #expect(try Self.states(capture).states.isEmpty)
    let single = Self.btsnoop(2001, Self.found(0) + Self.monitor(15, 8) + Self.reports(20..<30))
    #expect(try Self.states(single).states == [State(0, .off, 0), State(0, .listening, 15)])
  }

  @Test(arguments: [true, false])
  func `an adapter that never scanned is not a receiver while the only other one pauses`(
    _ isOpen: Bool
  ) throws {
    var packets = Self.found(0) + Self.monitor(0.01, 8) + Self.found(0, of: 1)
    if isOpen { packets += Self.monitor(0.01, 8, of: 1) + Self.scan(0.02, false, of: 1) }
    packets += Self.scan(0.1, true) + Self.reports(1..<10) + Self.scan(10, false)
    let pause = packets + Self.scan(22, true) + Self.reports(22..<30)
    let capture = Self.btsnoop(2001, pause)
    // Its first scan makes it a receiver.
    #expect(
      try Self.states(capture).states == [State(0, .off, 10), State(0, .listening, 22)]
    )
    let scan = Self.btsnoop(2001, packets + Self.scan(15, true, of: 1) + Self.event(20, []))
    #expect(try Self.states(scan).states == [State(0, .off, 10), State(1, .listening, 15)])
  }

  @Test func `a loss has its time, whatever others received in the meantime`() throws {
    // 4 s of every 8 s, with an adapter that receives all the time, over several blocks.
    var packets = (0..<8000).map { Self.report(Double($0) / 100 + 0.005, of: 1) }
    for start in stride(from: 0, to: 80, by: 8) {
      packets += Self.scan(Double(start) + 0.1, true) + Self.reports(start..<start + 4)
      packets += Self.scan(Double(start) + 4.1, false)
    }
    var reader = try CaptureReader(MemorySource(Self.btsnoop(2001, packets)))
    var inspection = CaptureInspection()
    var inputs: [ScanInput] = []
    while let batch = try reader.next() {
      inspection.add(batch)
      inputs += batch.inputs
    }
    let losses = inputs.compactMap { input in
      if case .radio(0, .off, let time) = input { time } else { nil }
    }
    let ends = stride(from: 4.1, to: 80, by: 8).map { Self.at($0) }
    #expect(losses.dropLast() == ends.dropLast()[...])
    #expect(inputs.map(\.time) == inputs.map(\.time).sorted() && inputs.count > 8000)
    let receiver = try #require(inspection.receivers.first)
    let end = try #require(inspection.span).end
    #expect(receiver.pauses == 10 && abs(receiver.listened(until: end).seconds - 40) < 1)
  }

  @Test func `a converted capture was listened for as long`() throws {
    var packets = Self.found(0) + Self.monitor(0.01, 8) + Self.scan(0.1, true)
    packets += Self.found(0, of: 1) + Self.monitor(0.01, 8, of: 1)
    packets += (0..<9000).map { Self.report(Double($0) / 10 + 0.12) }
    packets += Self.scan(600, true, of: 1) + Self.reports(600..<700, of: 1)
    packets += Self.scan(700, false, of: 1)
    let capture = Self.btsnoop(2001, packets)
    func listened(_ bytes: [UInt8]) throws -> [TimeSpan] {
      var reader = try CaptureReader(MemorySource(bytes))
      var inspection = CaptureInspection()
      while let batch = try reader.next() { inspection.add(batch) }
      let end = try #require(inspection.span).end
      return inspection.receivers.map { $0.listened(until: end) }
    }
    let found = try listened(capture)
    #expect(abs(found[1].seconds - 100) < 0.1)
    for writer in [BtsnoopWriter() as any CaptureWriter, PcapWriter()] {
      var (writer, bytes) = (writer, [UInt8]())
      writer.begin(receiverNames: ["hci0", "hci1"], at: Self.at(0), into: &bytes)
      var reader = try CaptureReader(MemorySource(capture))
      while let batch = try reader.next() { writer.write(batch, into: &bytes) }
      #expect(try listened(bytes)[1] == found[1])
    }
  }

  /// Row T5: as in a replay, a clock that was set counts as set, and sleep as a gap.
  @Test(arguments: [("forward", 1.7e9), ("back", -3600), ("sleep", 28_800)])
  func `an inspection counts on the clock of a replay`(_ name: String, _ step: Double) throws {
    let first = Self.reports(0..<300)
    let second = Self.reports(300..<600) + Self.scan(600.2, false) + Self.scan(620, true)
    let all =
      first
      + (second + Self.reports(620..<900)).map {
        Packet(time: $0.time + step, content: $0.content)
      }
    let start = step > 1e6 ? -1.7e9 : 0
    let records = all.map { Packet(time: $0.time + start, content: $0.content) }
    let capture =
      Self.btsnoop(1002, Array(records[..<first.count]))
      + Self.btsnoop(1002, Array(records[first.count...])).dropFirst(16)
    var reader = try CaptureReader(MemorySource(capture))
    var inspection = CaptureInspection()
    while let batch = try reader.next() { inspection.add(batch) }
    let times = inspection.listening
    let receiver = try #require(times.receivers.first)
    // A replay reports a jump ahead as a gap, and leaves a step back out.
    let gap = max(step, 0)
    #expect(receiver.pauses == (gap > 0 ? 2 : 1))
    #expect(abs(receiver.listened(until: times.end).seconds - 880) < 3)
    #expect(abs(times.recorded.seconds - 900 - gap) < 3)
    let pauses = receiver.longestPauses(until: times.end)
    #expect(pauses.map(\.reasons) == (gap > 0 ? [[.gap], [.off]] : [[.off]]))
  }

  /// The times of one receiver and marks.
  private static func listening(_ inputs: [ScanInput]) -> ListeningTimes {
    var inspection = CaptureInspection()
    inspection.add(ScanBatch(inputs: inputs))
    return inspection.listening
  }

  private static func radio(_ state: RadioState, _ second: Double) -> ScanInput {
    .radio(receiver: 0, state, at(second))
  }

  private static func marks(_ seconds: ClosedRange<Int>) -> [ScanInput] {
    seconds.map { .mark(at(Double($0))) }
  }

  @Test func `a pause has all its states, and a gap in front of one is a part of it`() {
    var inputs: [ScanInput] = [Self.radio(.listening, 0)]
    inputs += Self.marks(10...10) + [Self.radio(.off, 90)] + Self.marks(100...100)
    inputs += [Self.radio(.gone, 105), Self.radio(.listening, 110)] + Self.marks(115...115)
    inputs += Self.marks(300...300) + [Self.radio(.deaf, 310)] + Self.marks(311...320)
    let times = Self.listening(inputs)
    let pauses: [ListeningPause] = times.receivers[0].longestPauses(until: times.end)
    let expected: [(Double, Int64, [ListeningPause.Reason])] = [
      (10, 100, [.gap, .off, .gone]), (115, 185, [.gap]), (310, 10, [.deaf]),
    ]
    #expect(pauses.count == expected.count)
    for (pause, (start, length, reasons)) in zip(pauses, expected) {
      #expect(pause.start == Self.at(start) && pause.length == .seconds(length))
      #expect(pause.reasons == reasons)
    }
    #expect(times.receivers[0].pauses == 3)
    #expect(times.receivers[0].listened(until: times.end) == .seconds(25))
  }

  @Test func `the longest pauses of many are kept, in their order`() {
    var inputs: [ScanInput] = []
    for number in 0..<100 {
      let end = Double(number * 50)
      let length = Double(number * 37 % 40 + 1)
      inputs += [Self.radio(.off, end - length), Self.radio(.listening, end)]
    }
    let times = Self.listening(inputs + Self.marks(4951...4990))
    let pauses: [ListeningPause] = times.receivers[0].longestPauses(until: times.end)
    #expect(times.receivers[0].pauses == 100 && pauses.count == 16)
    let starts = pauses.map(\.start)
    #expect(starts == starts.sorted())
    #expect(pauses.allSatisfy { $0.length >= .seconds(34) })
  }

  @Test func `an adapter without an address, as other writers name one, counts as open`() throws {
    let capture = Self.btsnoop(2001, Self.found(0, address: 0) + Self.reports(10..<20))
    #expect(try Self.states(capture).states.isEmpty)
  }

  @Test func `a clock that is set back in a pause makes it no longer`() throws {
    // An hour back, a second after the scan ended.
    let before = Self.reports(3600..<3610) + Self.scan(3610, false)
    let after = Self.scan(11, true) + Self.reports(11..<20)
    let capture = Self.btsnoop(1002, before) + Self.btsnoop(1002, after).dropFirst(16)
    var reader = try CaptureReader(MemorySource(Array(capture)))
    while let batch = try reader.next() {
      #expect(batch.inputs.allSatisfy { if case .report = $0 { true } else { false } })
    }
  }

  @Test(
    arguments: [
      (
        "pauses.btsnoop",
        [
          State(0, .off, 30), State(0, .listening, 38), State(0, .off, 48),
          State(0, .listening, 55),
        ]
      ),
      (
        "pauses-monitor.btsnoop",
        [
          State(0, .off, 30), State(0, .listening, 38.254_252), State(0, .gone, 48),
          State(0, .off, 54), State(0, .listening, 55.257_47),
        ]
      ),
    ]
  )
  func `the fixtures show when their receivers listened`(_ name: String, _ expected: [State]) throws
  {
    #expect(try Self.states(FixtureCaptureTests.bytes(name)).states == expected)
  }

  @Test func `each interface of a pcapng capture has its own state`() throws {
    let interfaces = ["left", "right"].map {
      Build.interface(options: Build.option(2, Array($0.utf8)))
    }
    var capture = Build.section + interfaces[0] + interfaces[1]
    let off: [UInt8] = [4, 0x0E, 4, 1, 0x0C, 0x20, 0]
    for second in 0..<40 {
      let stamp = UInt64(Self.at(Double(second)).microseconds)
      if second < 10 || second >= 30 { capture += Build.enhanced(0, stamp: stamp) }
      capture += Build.enhanced(1, stamp: stamp + 1)
      guard second == 10 || second == 29 else { continue }
      let command: [UInt8] = [1, 0x0C, 0x20, 2, second == 10 ? 0 : 1, 0]
      capture += Build.enhanced(0, stamp: stamp + 2, command)
      capture += Build.enhanced(0, stamp: stamp + 3, off)
    }
    let states = try Self.states(capture).states
    #expect(states.map(\.receiver) == [0, 0] && states.map(\.state) == [.off, .listening])
    #expect(states.map(\.time) == [10.000_003, 29.000_003])
  }

  @Test func `text of hcidump shows commands and answers as well`() throws {
    var text = ""
    for second in 0..<40 {
      let time = "\(Self.epoch / 1_000_000 + Int64(second)).000000"
      if second == 10 { text += "\(time) < 01 0C 20 02 00 00 \n\(time) > 04 0E 04 01 0C 20 00 \n" }
      if second == 30 { text += "\(time) < 01 0C 20 02 01 00 \n\(time) > 04 0E 04 01 0C 20 00 \n" }
      if (11..<31).contains(second) { continue }
      text += "\(time) > 04 3E 0C 02 01 03 01 01 00 00 00 00 C0 00 C4 \n"
    }
    let found = try Self.states(Array(text.utf8))
    #expect(found.states == [State(0, .off, 10), State(0, .listening, 30)] && found.reports == 20)
  }

  // MARK: Outputs

  @Test(arguments: [true, false]) func `states survive being written as packets`(_ isPcap: Bool)
    throws
  {
    let scan: [ScanInput] = [
      .radio(receiver: 0, .listening, Self.at(0)), .radio(receiver: 0, .off, Self.at(10)),
      .radio(receiver: 0, .listening, Self.at(20)), .radio(receiver: 0, .gone, Self.at(30)),
      .radio(receiver: 0, .listening, Self.at(40)), .radio(receiver: 0, .deaf, Self.at(50)),
      .radio(receiver: 0, .listening, Self.at(60)), .radio(receiver: 0, .off, Self.at(62)),
      .radio(receiver: 0, .listening, Self.at(64)), .radio(receiver: 0, .gone, Self.at(66)),
      .radio(receiver: 0, .listening, Self.at(66.5)), .radio(receiver: 0, .off, Self.at(70)),
    ]
    // A state of a recording is as it is, also where reports follow, as those of an accept list do.
    let listed = AdvertisingReport(
      time: Self.at(80),
      rssi: -60,
      receiver: 0,
      payloadStart: 0,
      payloadCount: 0
    )
    let writer: any CaptureWriter = isPcap ? PcapWriter() : BtsnoopWriter()
    var bytes: [UInt8] = []
    writer.begin(receiverNames: ["hci0"], at: Self.at(0), into: &bytes)
    let lost: [ScanInput] = [
      .radio(receiver: 0, .gone, Self.at(82)), .radio(receiver: 0, .off, Self.at(84)),
    ]
    writer.write(ScanBatch(bytes: [], inputs: scan + [.report(listed)] + lost), into: &bytes)
    #expect(
      try Self.states(bytes).states == [
        State(0, .listening, 0), State(0, .off, 10), State(0, .listening, 20), State(0, .gone, 30),
        State(0, .listening, 40),
        State(0, .off, 50), State(0, .listening, 60), State(0, .off, 62), State(0, .listening, 64),
        State(0, .gone, 66), State(0, .listening, 66.5), State(0, .off, 70),
        State(0, .gone, 82), State(0, .off, 84),
      ]
    )
  }

  @Test func `an inspection counts for how long a receiver listened`() throws {
    let capture = Self.btsnoop(
      1002,
      Self.reports(0..<10) + Self.scan(10, false) + Self.scan(22, true) + Self.reports(22..<30)
    )
    var reader = try CaptureReader(MemorySource(capture))
    var inspection = CaptureInspection()
    while let batch = try reader.next() { inspection.add(batch) }
    let receiver = try #require(inspection.receivers.first)
    let span = try #require(inspection.span)
    #expect(inspection.receivers.count == 1 && receiver.pauses == 1)
    #expect(span.end - span.start == .seconds(29))
    #expect(receiver.listened(until: span.end) == .seconds(17))
  }

  /// Android's filters and batches (vendor commands 0x157 and 0x156) and Microsoft's monitors, whose opcode each maker
  /// chooses: they filter the reports of a scan, which continues.
  @Test(arguments: [1001, 1002, 2001] as [UInt32], [0xFD57, 0xFD56, 0xFC1E, 0xFCF0] as [UInt16])
  func `a vendor's filter of advertisements ends no scan`(
    _ dataLink: UInt32,
    _ opcode: UInt16
  ) throws {
    let packets =
      Self.scan(0.2, true) + Self.reports(1..<10)
      + [[0, 1], [1, 0, 0, 0x20, 0], [3, 1], [5, 1], [0, 0]].flatMap {
        Self.done(10, opcode, $0)
      }
      + Self.done(11, opcode, [1], status: 1) + Self.reports(40..<50)
    let found = try Self.states(Self.btsnoop(dataLink, packets))
    #expect(found.states.isEmpty || found.states.allSatisfy { $0.state == .listening })
    #expect(found.reports == 19)
  }
}
