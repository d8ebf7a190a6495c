// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes the packets of a capture, whatever link type they have.
struct PacketDecoder: Sendable {
  /// The note after a state in which a receiver does not listen: it counts however short it is, unlike a host's pause.
  static let stateNote = Array("Beacons: the receiver does not listen\0".utf8)

  /// A packet as a record holds it.
  struct Packet {
    /// The packet's bytes in the block.
    var range: Range<Int>
    /// When it was recorded.
    var time: Timestamp
    /// Whether the recorder cut it.
    var isCut: Bool
    /// The receiver that recorded it; a packet of the Linux monitor channel states its adapter itself.
    var receiver: UInt8 = 0
    /// The adapter of a packet of the Linux monitor channel.
    var adapter: UInt16?
    /// Which of a capture's monitor channels it is of.
    var channel: UInt16 = 0

    /// The receiver or adapter that the packet is of.
    var source: ScanWatch.Source {
      adapter.map { .adapter($0, channel: channel) } ?? .receiver(receiver)
    }
  }

  /// How receivers are numbered.
  enum Receivers {
    /// By the number of the adapter, which stays the same when the capture is converted.
    case byAdapter
    /// In the order in which their names first occur, for captures of several interfaces.
    case byName
  }

  /// The packet types that the first byte of a packet states.
  enum PacketType {
    static let command: UInt8 = 1
    static let event: UInt8 = 4
  }

  private enum MonitorOpcode {
    static let newIndex: UInt16 = 0
    static let deletedIndex: UInt16 = 1
    static let command: UInt16 = 2
    static let event: UInt16 = 3
    static let openIndex: UInt16 = 8
    static let closeIndex: UInt16 = 9
    static let indexInfo: UInt16 = 10
    static let systemNote: UInt16 = 12
    static let controlEvent: UInt16 = 17
  }

  /// Events of the management interface (BlueZ, doc/mgmt-api).
  ///
  /// A packet of the monitor channel has the number of a socket, then the event.
  private enum ManagementEvent {
    static let suspend: UInt16 = 0x002D
    static let resume: UInt16 = 0x002E
  }

  /// How long after the last input a record without one shows that time passed: busy traffic then costs little.
  private static let markInterval = TimeSpan.seconds(1)
  /// How many marks after a gap show that the clock continues: as many as decide it.
  private static let marksAfterGap = 2

  private var events = HCIEventDecoder()
  private var watch = ScanWatch()
  private let receivers: Receivers

  /// The time of the last record of the capture, and of the one in front of it.
  var lastTime: Timestamp?
  var timeBefore: Timestamp?
  /// The time of the last input; `nil` before the first one.
  private var lastInput: Timestamp?
  /// Whether that was a mark, and how many more may follow it within a second.
  private var isMarked = false
  private var furtherMarks = 0
  /// The clocks of a capture's interfaces; without a use if it has only one.
  private var clocks = InterfaceClocks()
  /// Since when a receiver may not listen, until the time that decides it.
  var undecidedSince: Timestamp? { watch.undecidedSince }
  /// Whether records of any kind can change a receiver's state by their times.
  var isWatching: Bool { watch.isWatching }

  init(receivers: Receivers) {
    self.receivers = receivers
  }

  /// At the end of a capture, counts advertisements whose last fragments are missing as dropped, and adds the states of
  /// receivers whose scan did not resume.
  mutating func finish(into sink: inout CaptureSink) {
    events.finish(into: &sink.scan)
    for time in clocks.finish() { endRecord(at: time, into: &sink) }
    watch.finish()
    sink.endStates = watch.drainChanges().map { input(of: $0, at: $0.time, &sink) }
  }

  /// Processes that a record with a time was read, whatever it contains.
  @inline(__always)
  mutating func pass(to time: Timestamp, into sink: inout CaptureSink) {
    (timeBefore, lastTime) = (lastTime, time)
    guard watch.isWatching else { return }
    watch.pass(to: time)
    drainStates(into: &sink)
  }

  /// Processes that a record was read to its end: without a report, it shows that the capture ran until then.
  ///
  /// There is no mark before the first report or state, or while the state of a receiver is undecided: it may get an earlier
  /// time.
  @inline(__always)
  mutating func endRecord(at time: Timestamp, into sink: inout CaptureSink) {
    if let input = sink.inputs.last { note(input) }
    guard let lastInput, lastInput != time else { return }
    addMark(at: time, after: lastInput, into: &sink)
  }

  /// Notes the last input so far.
  @inline(__always)
  mutating func note(_ input: ScanInput) {
    if case .report(let report) = input {
      (lastInput, isMarked) = (report.time, false)
    } else if case .mark(let time) = input {
      (lastInput, isMarked) = (time, true)
    } else {
      (lastInput, isMarked) = (input.time, false)
    }
  }

  @inline(never)
  private mutating func addMark(
    at time: Timestamp,
    after last: Timestamp,
    into sink: inout CaptureSink
  ) {
    let step = time - last
    // A mark with a wrong stamp, or before the clock was set back, must not hide those that follow.
    let isBack = isMarked && step < TimeSpan.zero - TimingConfiguration().disorder
    let isFurther = isMarked && furtherMarks > 0 && step >= .zero
    guard step >= Self.markInterval || isBack || isFurther, !watch.isUndecided else { return }
    furtherMarks =
      step > TimingConfiguration().gap || isBack ? Self.marksAfterGap : max(0, furtherMarks - 1)
    sink.inputs.append(.mark(time))
    (lastInput, isMarked) = (time, true)
  }

  /// Processes that the capture breaks off, so that its last record may have had bytes of the next one.
  ///
  /// - Parameter time: The time of the last input that is whole, if it is known.
  mutating func breakOff(after time: Timestamp?) {
    lastTime = max(timeBefore ?? .earliest, time ?? .earliest)
    if lastTime == .earliest { lastTime = nil }
    (lastInput, isMarked) = (time ?? lastInput, false)
  }

  /// Processes that another capture follows in the file.
  ///
  /// - Parameter receiver: A receiver whose packets were not all decoded here.
  mutating func startNextCapture(receiver: UInt8? = nil) {
    clocks = InterfaceClocks()
    guard let time = lastTime else { return }
    watch.ended(at: time, receiver: receiver)
    lastTime = nil
  }

  /// Processes that a receiver recorded a packet of a sniffer.
  mutating func sniffed(_ packet: Packet, into sink: inout CaptureSink) {
    watch.received(by: packet.source, at: packet.time)
    drainStates(into: &sink)
  }

  /// Adds the changes of receivers' states found so far.
  @inline(__always)
  private mutating func drainStates(into sink: inout CaptureSink) {
    if watch.hasChanges { addStates(to: &sink) }
  }

  @inline(never)
  private mutating func addStates(to sink: inout CaptureSink) {
    for change in watch.drainChanges() {
      guard change.delay > .zero, change.delay <= ScanWatch.shortestPause else {
        let state = input(of: change, at: change.time, &sink)
        sink.inputs.append(state)
        continue
      }
      // The inputs of other receivers since then wait in the sink.
      let time = change.time - change.delay
      let place = sink.inputs.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
      let state = input(of: change, at: time, &sink)
      sink.inputs.insert(state, at: place)
    }
  }

  private func input(
    of change: ScanWatch.Change,
    at time: Timestamp,
    _ sink: inout CaptureSink
  ) -> ScanInput {
    let receiver: UInt8 =
      switch change.source {
      case .receiver(let number): number
      case .adapter(let number, let channel): receiver(ofAdapter: number, channel, &sink)
      }
    return .radio(receiver: receiver, change.state, time)
  }

  // MARK: Link types

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    of linkType: LinkType,
    into sink: inout CaptureSink
  ) {
    guard receivers == .byAdapter else {
      return decodeInterface(block, packet, of: linkType, into: &sink)
    }
    pass(to: packet.time, into: &sink)
    decodeContent(block, packet, of: linkType, into: &sink)
    endRecord(at: packet.time, into: &sink)
  }

  /// Decodes a packet of one of several interfaces, whose clocks may differ.
  private mutating func decodeInterface(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    of linkType: LinkType,
    into sink: inout CaptureSink
  ) {
    let source: InterfaceClocks.Source =
      linkType == .linuxMonitor ? .channel(packet.channel) : .receiver(packet.receiver)
    let known = clocks.place(source, at: packet.time)
    if let known { pass(to: known, into: &sink) } else { lastTime = lastTime ?? packet.time }
    let before = sink.inputs.count
    decodeContent(block, packet, of: linkType, into: &sink)
    if let input = sink.inputs.last { note(input) }
    if sink.inputs.count > before, case .report = sink.inputs.last {
      let held = clocks.reported(source, at: packet.time)
      sink.inputs.insert(contentsOf: held.map { .mark($0) }, at: before)
      if known == nil { pass(to: packet.time, into: &sink) }
    } else if let time = clocks.passed(source, at: packet.time) {
      endRecord(at: time, into: &sink)
    }
  }

  private mutating func decodeContent(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    of linkType: LinkType,
    into sink: inout CaptureSink
  ) {
    switch linkType {
    case .h4: decodeH4(block, packet, into: &sink)
    case .h4WithDirection: decodeH4WithDirection(block, packet, into: &sink)
    case .linuxMonitor: decodeMonitorWithHeader(block, packet, into: &sink)
    case .linkLayer: decodeLinkLayer(block, packet, .unchecked, into: &sink)
    case .linkLayerWithHeader: decodeLinkLayerWithHeader(block, packet, into: &sink)
    case .nordicSniffer, .olderNordicSniffer: decodeNordicSniffer(block, packet, into: &sink)
    }
  }

  mutating func decodeH4(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    guard !packet.range.isEmpty else { return }
    var content = packet
    content.range = packet.range.lowerBound &+ 1..<packet.range.upperBound
    switch block[packet.range.lowerBound] {
    case PacketType.event: decodeEvent(block, content, into: &sink)
    case PacketType.command: decodeCommand(block, content, into: &sink)
    default: break
    }
  }

  /// The direction in front of each packet is ignored: libpcap and its documentation disagree on its meaning, and the
  /// packet's type is sufficient.
  private mutating func decodeH4WithDirection(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    guard packet.range.count > 4 else { return countShort(packet, &sink) }
    var content = packet
    content.range = packet.range.lowerBound + 4..<packet.range.upperBound
    decodeH4(block, content, into: &sink)
  }

  /// Adapter and opcode in front of the payload are big-endian, unlike on the monitor socket.
  private mutating func decodeMonitorWithHeader(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    guard packet.range.count >= 4 else { return countShort(packet, &sink) }
    let start = packet.range.lowerBound
    var content = packet
    content.range = start + 4..<packet.range.upperBound
    decodeMonitor(
      block,
      content,
      opcode: block.bigEndian16(at: start + 2),
      adapter: block.bigEndian16(at: start),
      into: &sink
    )
  }

  mutating func decodeMonitor(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    opcode: UInt16,
    adapter: UInt16,
    into sink: inout CaptureSink
  ) {
    var packet = packet
    packet.adapter = adapter
    switch opcode {
    case MonitorOpcode.event:
      if HCIEventDecoder.isAdvertisingReport(block, in: packet.range) {
        packet.receiver = receiver(ofAdapter: adapter, packet.channel, &sink)
      }
      return decodeEvent(block, packet, into: &sink)
    case MonitorOpcode.command: return decodeCommand(block, packet, into: &sink)
    case MonitorOpcode.newIndex:
      nameAdapter(adapter, block, packet, &sink)
      // Writers that know no adapter give it no address, and do not open it.
      let isKnown =
        packet.range.count >= 8 && block.addressBits(at: packet.range.lowerBound + 2) != 0
      watch.found(packet.source, isClosed: isKnown, at: packet.time)
    case MonitorOpcode.deletedIndex: watch.removed(packet.source, at: packet.time)
    case MonitorOpcode.openIndex, MonitorOpcode.indexInfo:
      watch.opened(packet.source, at: packet.time)
    case MonitorOpcode.closeIndex: watch.closed(packet.source, at: packet.time)
    case MonitorOpcode.systemNote:
      let note = Self.stateNote
      guard packet.range.count == note.count,
        note.indices.allSatisfy({ block[packet.range.lowerBound + $0] == note[$0] })
      else { return }
      watch.stated(packet.source)
    case MonitorOpcode.controlEvent:
      guard packet.range.count >= 7 else { return }
      let start = packet.range.lowerBound
      switch block.littleEndian16(at: start + 4) {
      // A state of 0 means that the controller runs on.
      case ManagementEvent.suspend:
        watch.suspended(packet.source, block[start + 6] != 0, at: packet.time)
      case ManagementEvent.resume: watch.suspended(packet.source, false, at: packet.time)
      default: return
      }
    default: return
    }
    drainStates(into: &sink)
  }

  // MARK: HCI

  mutating func decodeEvent(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    if packet.isCut {
      let isReport = HCIEventDecoder.isAdvertisingReport(block, in: packet.range)
      if isReport { sink.drops.count(.cutByRecorder) }
      return
    }
    guard HCIEventDecoder.isAdvertisingReport(block, in: packet.range) else {
      watch.event(block, in: packet.range, of: packet.source, at: packet.time)
      return drainStates(into: &sink)
    }
    watch.received(by: packet.source, at: packet.time)
    drainStates(into: &sink)
    events.decode(
      block,
      in: packet.range,
      receiver: packet.receiver,
      at: packet.time,
      into: &sink.scan
    )
  }

  /// Reads from a command whether the adapter scans, and how: with a duplicate filter, the number of reports proves less.
  mutating func decodeCommand(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    if lastInput != nil || !sink.inputs.isEmpty { watch.noteReport() }
    watch.command(block, in: packet.range, to: packet.source, at: packet.time)
    // LE Set Scan Enable and LE Set Extended Scan Enable both start with enable and filter duplicates.
    guard packet.range.count >= 5 else { return }
    let start = packet.range.lowerBound
    let opcode = block.littleEndian16(at: start)
    guard opcode == 0x200C || opcode == 0x2042 else { return }
    guard block[start + 3] == 1, block[start + 4] != 0 else { return }
    sink.note(
      "the adapter filtered duplicates while it scanned: how often a beacon is heard is not how often it was sent, and its silence does not show that it left"
    )
  }

  // MARK: Receivers

  private func receiver(
    ofAdapter adapter: UInt16,
    _ channel: UInt16,
    _ sink: inout CaptureSink
  ) -> UInt8 {
    switch receivers {
    case .byName:
      return sink.receiver(named: "hci\(adapter)" + (channel > 0 ? "~\(channel + 1)" : ""))
    case .byAdapter:
      if adapter > UInt16(UInt8.max) { sink.note("adapters above hci255 are shown as hci255") }
      let receiver = UInt8(clamping: adapter)
      sink.nameReceivers(through: receiver)
      return receiver
    }
  }

  /// Reads an adapter's name from the record that announces it: type, bus, address, then eight characters.
  private func nameAdapter(
    _ adapter: UInt16,
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    _ sink: inout CaptureSink
  ) {
    guard receivers == .byAdapter, adapter < UInt16(UInt8.max), packet.range.count >= 16 else {
      return
    }
    var name = ""
    for offset in packet.range.lowerBound + 8..<packet.range.lowerBound + 16 {
      guard (0x21..<0x7F).contains(block[offset]) else { break }
      name.unicodeScalars.append(Unicode.Scalar(block[offset]))
    }
    guard !name.isEmpty else { return }
    sink.nameReceivers(through: UInt8(clamping: adapter))
    guard !sink.receiverNames.contains(name) else { return }
    sink.receiverNames[Int(adapter)] = name
  }

  func countShort(_ packet: Packet, _ sink: inout CaptureSink) {
    sink.drops.count(packet.isCut ? .cutByRecorder : .malformedRecord)
  }
}
