// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Writes a recording: the capture lines of JSON Lines, version 1.
///
///     {"v":1,"type":"capture","tool":…,"version":…,"receivers":["hci0"],"profile":"default","redacted":true,"begun":…,"piece":1}
///     {"v":1,"type":"report","t":…,"receiver":"hci0","address":…,"address_type":"random","event":"ADV_IND","rssi":-70,"ad":"0201…"}
///     {"v":1,"type":"report",…,"rssi":-70,"manufacturer":{"004c":"0215…"}}
///     {"v":1,"type":"radio","t":…,"receiver":"hci0","state":"listening"}
///     {"v":1,"type":"mark","t":…}
///     {"v":1,"type":"place","t":…,"uuid":…,"major":1,"minor":2,"place":"hall","p":0.97,"receivers":{"heard":3,"deaf":0}}
///     {"v":1,"type":"zone","t":…,"offset":7200}
///     {"v":1,"type":"late","t":…,"by":86400}
///     {"v":1,"type":"dropped","t":…,"reason":"malformedRecord","count":3}
///     {"v":1,"type":"user","t":…,"client":"guide","input":"answer",…}
///     {"v":1,"type":"request","t":…,"client":"user:anna/guide","request":"range",…}
///     {"v":1,"type":"end","t":…}
///
/// `address_type` is `public`, `random`, `public-identity` or `random-identity`; `event` is the name of the PDU
/// (`ADV_IND`, `ADV_DIRECT_IND`, `ADV_SCAN_IND`, `ADV_NONCONN_IND`, `SCAN_RSP`, `AUX_ADV_IND`); either is `null` where
/// unknown. A payload that was rebuilt from manufacturer data is written as `ad` where such pairs cannot represent it.
package struct CaptureLineWriter: Sendable {
  /// The bytes with which every recording starts.
  package static let start = Array(#"{"v":1,"type":"capture","#.utf8)

  private static let begin: StaticString = #"{"v":1,"type":"report","t":"#
  private static let receiver: StaticString = #","receiver":"#
  private static let address: StaticString = #","address":"#
  private static let noAddress: StaticString = #","address":null,"address_type":null,"event":"#
  private static let rssi: StaticString = #","rssi":"#
  private static let noRSSI: StaticString = #","rssi":null"#

  private var writer = JSONLineWriter()
  private var pseudonyms: AddressPseudonyms?
  private var receivers: [JSONFragment]

  /// Creates a writer and writes the header.
  ///
  /// - Parameters:
  ///   - header: The description of the recording; `redacting` sets whether it is redacted.
  ///   - redacting: Whether addresses become pseudonyms. A file that was redacted before stays marked as redacted.
  package init(_ header: CaptureHeader, redacting: Bool = true) {
    self.init(header, pseudonyms: redacting ? AddressPseudonyms() : nil)
  }

  /// Creates a writer and writes the header.
  ///
  /// - Parameters:
  ///   - header: The description of the recording.
  ///   - pseudonyms: What addresses become; `nil` if they stay as they are.
  package init(_ header: CaptureHeader, pseudonyms: AddressPseudonyms?) {
    self.pseudonyms = pseudonyms
    receivers = Self.fragments(header.receivers)
    var header = header
    header.isRedacted = header.isRedacted || pseudonyms != nil
    append(header)
  }

  /// The lines written since the last ``removeAll()``.
  package var bytes: [UInt8] { writer.bytes }

  /// Removes the lines written, once they are in the file.
  package mutating func removeAll() {
    writer.removeAll()
  }

  /// Adds names of receivers that the header does not contain; readers number them in the order they occur.
  package mutating func name(receivers names: [String]) {
    receivers = Self.fragments(names)
  }

  private static func fragments(_ names: [String]) -> [JSONFragment] {
    names.map { JSONFragment(string: $0.isEmpty ? nil : $0) }
  }

  /// Writes all inputs of a batch.
  package mutating func append(_ batch: borrowing ScanBatch) {
    for input in batch.inputs {
      switch input {
      case .report(let report): append(report, payload: batch.payload(of: report))
      case .level:
        if let packet = batch.packet(of: input) { append(packet.report, payload: packet.payload) }
      case .radio(let receiver, let state, let time): append(state, of: receiver, at: time)
      case .mark(let time): appendMark(at: time)
      case .notice(let notice, let time): append(notice, at: time)
      case .place(let report):
        if let place = batch.place(of: report) { writer.append(place, at: report.time) }
      }
    }
  }

  /// Writes a report.
  package mutating func append(_ report: AdvertisingReport, payload: ArraySlice<UInt8>) {
    writer.fragment(Self.begin, then: report.time)
    writer.fragment(Self.receiver)
    writer.fragment(fragment(of: report.receiver))
    if let address = report.address {
      writer.fragment(Self.address)
      writer.address(pseudonyms?.pseudonym(for: address) ?? address)
      writer.key("address_type")
      writer.string(address.kind.lineName)
      writer.key("event")
    } else {
      writer.fragment(Self.noAddress)
    }
    if let kind = report.kind { writer.string(kind.lineName) } else { writer.null() }
    if let rssi = report.rssi {
      writer.fragment(Self.rssi, then: Int(rssi))
    } else {
      writer.fragment(Self.noRSSI)
    }
    append(payload, content: report.content)
    writer.endLine()
  }

  private mutating func append(
    _ payload: ArraySlice<UInt8>,
    content: AdvertisingReport.Content
  ) {
    guard content == .rebuiltManufacturerData,
      let companies = ManufacturerStructures.companies(of: payload)
    else {
      writer.key("ad")
      writer.hex(payload)
      return
    }
    writer.key("manufacturer")
    writer.beginObject()
    for (company, data) in companies {
      writer.hexKey(company)
      writer.hex(payload[data])
    }
    writer.endObject()
  }

  /// Writes a receiver's change of state.
  package mutating func append(_ state: RadioState, of receiver: UInt8, at time: Timestamp) {
    writer.beginLine("radio")
    writer.timestamp("t", time)
    writer.key("receiver")
    writer.fragment(fragment(of: receiver))
    writer.string("state", state.rawValue)
    writer.endLine()
  }

  /// Writes a mark: the source was listening at this time.
  package mutating func appendMark(at time: Timestamp) {
    writer.beginLine("mark")
    writer.timestamp("t", time)
    writer.endLine()
  }

  /// Writes the source's notices about its inputs.
  private mutating func append(_ notice: SourceNotice, at time: Timestamp) {
    switch notice {
    case .late(let span):
      writer.beginLine("late")
      writer.timestamp("t", time)
      writer.seconds("by", span)
    case .dropped(let reason, let count):
      writer.beginLine("dropped")
      writer.timestamp("t", time)
      writer.string("reason", reason.name)
      writer.integer("count", count)
    }
    writer.endLine()
  }

  /// Writes how far local time is ahead of UTC from a time on.
  package mutating func append(zone offset: TimeSpan, at time: Timestamp) {
    writer.beginLine("zone")
    writer.timestamp("t", time)
    writer.seconds("offset", offset)
    writer.endLine()
  }

  /// Writes the end of the recording, its last line.
  package mutating func appendEnd(at time: Timestamp) {
    writer.beginLine("end")
    writer.timestamp("t", time)
    writer.endLine()
  }

  /// Writes a line as it was read, except that the header of a further part states whether this file is redacted.
  ///
  /// A line with control characters, which JSON5 allows in texts and comments, is written again with the same values.
  package mutating func append(_ line: UserActionLine) {
    guard line.input == "capture", pseudonyms != nil,
      var header = try? LineFields(line.value).header()
    else {
      if String(decoding: line.bytes, as: UTF8.self).isPrintable { return writer.line(line.bytes) }
      writer.value(line.value)
      return writer.line([])
    }
    header.isRedacted = true
    append(header)
  }

  /// Writes a line about a client: an action of a user, or a request to a service.
  ///
  /// - Parameters:
  ///   - type: The line's type, `user` or `request`.
  ///   - client: The client; `nil` for all.
  ///   - time: The time.
  ///   - fields: The keys after the client.
  package mutating func append(
    _ type: StaticString,
    of client: String?,
    at time: Timestamp,
    _ fields: [FormField]
  ) {
    writer.beginLine(type)
    writer.timestamp("t", time)
    writer.string("client", client)
    writer.fields(fields)
    writer.endLine()
  }

  private mutating func append(_ header: CaptureHeader) {
    writer.beginLine("capture")
    writer.string("tool", header.tool)
    writer.string("version", header.version)
    writer.key("receivers")
    writer.beginArray()
    for receiver in header.receivers { writer.string(receiver) }
    writer.endArray()
    writer.string("profile", header.profile)
    writer.bool("redacted", header.isRedacted)
    if let begun = header.begun {
      writer.timestamp("begun", begun)
    }
    if let piece = header.piece {
      writer.integer("piece", piece)
    }
    if !header.offsets.isEmpty {
      writer.key("offsets")
      writer.beginObject()
      for (receiver, decibels) in header.offsets.sorted(by: { $0.key < $1.key }) {
        writer.key(receiver)
        writer.integer(decibels)
      }
      writer.endObject()
    }
    if header.isCut {
      writer.bool("cut", true)
    }
    writer.endLine()
  }

  private func fragment(of receiver: UInt8) -> JSONFragment {
    Int(receiver) < receivers.count ? receivers[Int(receiver)] : .null
  }
}

extension AdvertisingEventKind {
  /// The name of the kind in capture lines: the name of the PDU in the Core Specification.
  package var lineName: StaticString {
    switch self {
    case .connectable: "ADV_IND"
    case .directed: "ADV_DIRECT_IND"
    case .scannable: "ADV_SCAN_IND"
    case .nonConnectable: "ADV_NONCONN_IND"
    case .scanResponse: "SCAN_RSP"
    case .extended: "AUX_ADV_IND"
    }
  }
}

extension DeviceAddress.Kind {
  /// The name of the kind in capture lines, `address_type`.
  package var lineName: StaticString {
    switch self {
    case .publicDevice: "public"
    case .random: "random"
    case .publicIdentity: "public-identity"
    case .randomIdentity: "random-identity"
    }
  }
}
