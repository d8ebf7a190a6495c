// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore
internal import BeaconFormats

/// The result of receiving beacons of known place: an offset for each receiver.
package struct ReceiverResult {
  /// A receiver's reports of one beacon.
  package struct Received {
    /// The beacon.
    package let identity: BeaconIdentity
    /// The reports with their places.
    package let session: CalibrationSession
    /// The level of a receiver without an offset there, in dBm; `nil` if the beacon's power is not known.
    package let expected: Double?

    /// Whether it counts: its level is known well enough, and the beacon's power is known.
    ///
    /// How strong it is does not matter: a receiver may be off by as much as a beacon is.
    package var counts: Bool {
      expected != nil && session.count >= CalibrationSession.fewestSamples
        && session.standardError ?? .infinity < CalibrationSession.largestError
    }

    /// Why it does not count.
    var complaint: String {
      let beacon = "\(identity) at \(CalibrationResult.tenth(session.meters)) m"
      if session.count == 0 { return "\(beacon) was not received" }
      if expected == nil { return "\(beacon) announces no power: calibrate it first" }
      return "\(beacon): \(session.verdict)"
    }
  }

  /// One receiver.
  package struct Receiver {
    /// Its name; empty if the capture names none.
    package let name: String
    /// Its reports.
    package let received: [Received]
    /// What to add to its RSSI in dB, to a tenth; `nil` if nothing counts.
    package let offset: Double?
    /// The possible error of that by the beacons' places, in dB.
    package let standardError: Double?
  }

  /// The receivers, in the order of their numbers.
  package let receivers: [Receiver]

  /// Creates the result from the reports.
  ///
  /// - Parameters:
  ///   - receiving: The reports.
  ///   - names: The receivers' names by their number.
  ///   - wanted: The receiver that is meant; `nil` for all that received something.
  ///   - ranging: The powers, path loss and shadowing.
  package init(
    _ receiving: ReceiverReception,
    names: [String],
    wanted: String?,
    _ ranging: RangingConfiguration
  ) {
    let numbers = names.isEmpty ? [0] : Array(names.indices)
    receivers = numbers.compactMap { number in
      let name = names.indices.contains(number) ? names[number] : ""
      guard wanted == nil ? receiving.receives(number) : wanted == name else { return nil }
      var offsets = ReceiverOffsetSession(
        exponent: ranging.pathLoss.exponent ?? PathLoss.defaultExponent,
        shadowing: ranging.shadowing
      )
      let received = receiving.beacons.map { beacon in
        let power = ranging.calibration.power(
          for: beacon.identity,
          announced: beacon.receiving.announcedPower
        )
        let received = Received(
          identity: beacon.identity,
          session: beacon.receiving.session(of: number),
          expected: power.map { offsets.expected(measuredPower: $0, at: beacon.meters) }
        )
        if received.counts, let power, let level = received.session.level {
          offsets.add(level: level.dBm, measuredPower: power, at: beacon.meters)
        }
        return received
      }
      return Receiver(
        name: name,
        received: received,
        offset: offsets.offset.map(CalibrationResult.tenth),
        standardError: offsets.standardError
      )
    }
  }

  /// Whether there is an offset for every receiver that is meant.
  package var isUsable: Bool {
    !receivers.isEmpty && receivers.allSatisfy { $0.offset != nil && !$0.name.isEmpty }
  }

  /// Notes for a user on offsets that no sound receiver has.
  package var warnings: [String] {
    receivers.compactMap { receiver in
      guard let offset = receiver.offset, abs(offset) > Self.largestOffset else { return nil }
      return
        "\(receiver.name): \(abs(offset)) dB too \(offset > 0 ? "weak" : "strong") is more than receivers"
        + " differ: check its antenna, and that this is the beacon and its distance"
    }
  }

  /// The largest offset in dB without a warning: antennas and cases of receivers differ by less.
  private static let largestOffset = 20.0

  /// The fault, and its remedy.
  package var complaint: String {
    guard let receiver = receivers.first(where: { $0.offset == nil || $0.name.isEmpty }) else {
      return "no receiver received any of the beacons; 'beaconctl scan' shows all"
    }
    guard !receiver.name.isEmpty else {
      return "the capture does not name its receiver, so there is no name to write"
    }
    let first = receiver.received.first { !$0.counts }?.complaint
    return "\(receiver.name): \(first ?? "received nothing")"
  }

  /// The numbers of the configuration file, each with its keys; empty if there is nothing to be set.
  package var settings: [(path: [String], number: String)] {
    guard isUsable else { return [] }
    return receivers.compactMap { receiver in
      receiver.offset.map { (["calibration", "receivers", receiver.name], "\($0)") }
    }
  }

  // MARK: Table

  /// A line a beacon and one a receiver, for a user.
  package var table: [UInt8] {
    var lines: [String] = []
    for receiver in receivers {
      let name = receiver.name.isEmpty ? "a receiver" : receiver.name.printable
      for received in receiver.received {
        let meters = CalibrationResult.tenth(received.session.meters)
        var line = "\(name)  \(received.identity) at \(meters) m"
        guard received.counts, let level = received.session.level, let expected = received.expected
        else {
          lines.append("\(name)  \(received.complaint)")
          continue
        }
        line += "  \(received.session.count) samples, \(CalibrationResult.tenth(level.dBm)) dBm"
        lines.append(line + " for \(CalibrationResult.tenth(expected))")
      }
      guard let offset = receiver.offset, let error = receiver.standardError else { continue }
      let sign = offset > 0 ? "+" : ""
      lines.append(
        "\(name)  add \(sign)\(offset) dB, sure to \(CalibrationResult.tenth(error)) dB"
          + " for where the beacons stand"
      )
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  // MARK: JSON

  /// One JSON object on one line.
  package var json: [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.bool("usable", isUsable)
    writer.key("receivers")
    writer.beginArray()
    for receiver in receivers { Self.append(receiver, to: &writer) }
    writer.endArray()
    writer.endLine()
    return writer.bytes
  }

  private static func append(_ receiver: Receiver, to writer: inout JSONLineWriter) {
    writer.beginObject()
    writer.string("receiver", receiver.name.isEmpty ? nil : receiver.name)
    writer.hundredths("offset", receiver.offset)
    writer.hundredths("standard_error", receiver.standardError)
    writer.key("beacons")
    writer.beginArray()
    for received in receiver.received {
      writer.beginObject()
      writer.key("uuid")
      writer.uuid(received.identity.uuid)
      writer.integer("major", received.identity.major)
      writer.integer("minor", received.identity.minor)
      writer.hundredths("distance", received.session.meters)
      writer.integer("samples", received.session.count)
      writer.hundredths("level", received.session.level?.dBm)
      writer.hundredths("expected", received.expected)
      writer.hundredths("spread", received.session.spread)
      writer.bool("counts", received.counts)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
