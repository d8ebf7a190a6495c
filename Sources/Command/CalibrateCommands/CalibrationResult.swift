// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore
package import BeaconFormats

/// The result of a calibration.
package struct CalibrationResult {
  /// The reports from one place.
  package struct Place {
    /// The reports.
    package let session: CalibrationSession
    /// The power that the beacon announced there in dBm at one meter.
    package let announcedPower: Int8?
    /// How many reports of it had no RSSI.
    package var unmeasured = 0
    /// The receiver's name.
    package let receiver: String
  }

  /// The beacon.
  package let beacon: BeaconIdentity
  /// The places, in the order they were stood at.
  package let places: [Place]
  /// The law that fits them, and the places known of earlier; `nil` with one place, or if none does.
  package let fit: SiteSurvey.Fit?
  /// The other beacons whose places are known of earlier, and their powers in dBm by the same law.
  package let others: [(beacon: BeaconIdentity, power: Double)]
  /// Two places of which the farther one is louder by more than a room explains.
  package let inversion: SiteSurvey.Inversion?
  /// Whether it is of use whatever the verdicts are.
  package let isForced: Bool

  /// Creates the result from the reports.
  ///
  /// - Parameters:
  ///   - beacon: The beacon.
  ///   - places: Its reports.
  ///   - earlier: What earlier calibrations measured at the site, of any beacon.
  ///   - isForced: Whether it is of use whatever the verdicts are.
  package init(
    _ beacon: BeaconIdentity,
    _ places: [Place],
    earlier: [ConfigurationFile.MeasuredPlace] = [],
    isForced: Bool = false
  ) {
    self.beacon = beacon
    self.places = places
    self.isForced = isForced
    var survey = SiteSurvey()
    for place in places { survey.add(place.session) }
    var beacons = [beacon]
    for place in earlier {
      // A place that was measured again counts once.
      let isAgain = places.contains { Self.key($0.session.meters) == Self.key(place.meters) }
      if place.beacon == beacon, isAgain { continue }
      if !beacons.contains(place.beacon) { beacons.append(place.beacon) }
      let number = beacons.firstIndex(of: place.beacon) ?? 0
      survey.add(level: place.level, at: place.meters, of: number)
    }
    fit = survey.fit
    inversion = survey.inversion()
    others = beacons.enumerated().dropFirst().compactMap { number, other in
      survey.fit(of: number)?.calibration.map { (other, Self.tenth($0.powerAtOneMeter)) }
    }
  }

  /// Whether every place was of use, and a law was found if there are several.
  package var isUsable: Bool {
    let areUsable =
      isForced
      ? places.allSatisfy { $0.session.level != nil }
        && power.map(MeasuredPower.isCalibration)
          ?? false
      : inversion == nil && places.allSatisfy { $0.session.verdict.isUsable }
    guard !places.isEmpty, areUsable else { return false }
    return fit.map { $0.calibration != nil } ?? (places.count == 1)
  }

  /// Notes for a user on a result that is of use: such as widely scattered samples.
  package var warnings: [String] {
    let doubtful = places.filter { $0.session.verdict.isDoubtful }.map {
      "at \(Self.tenth($0.session.meters)) m, \($0.session.verdict)"
    }
    let single =
      fit == nil
      ? [
        "one distance shows no law of this room: for zones, add --at as far as their limit or farther"
      ]
      : []
    return doubtful + single + lawWarnings
  }

  /// Notes on a law that is of use, and hardly that of a room.
  private var lawWarnings: [String] {
    guard let fit else { return [] }
    var warnings = inversion.map { [Self.sentence($0)] } ?? []
    if inversion == nil, fit.isClamped {
      warnings.append(
        "no room has the measured exponent \(Self.hundredth(fit.measuredExponent)), so"
          + " \(Self.hundredth(fit.exponent)) is used: check the distances, and that each capture is of its place"
      )
    }
    if let scatter = fit.shadowing, scatter > Self.usualScatter {
      warnings.append(
        "the places scatter by \(Self.tenth(scatter)) dB around the law, usual are"
          + " \(Self.tenth(DistanceEstimate.shadowingDeviation)) dB: were captures exchanged?"
          + " Check each --at, and measure again"
      )
    }
    return warnings
  }

  /// The most that places scatter in dB without a warning: twice the shadowing of a furnished room.
  private static let usualScatter = 2 * DistanceEstimate.shadowingDeviation

  private static func sentence(_ inversion: SiteSurvey.Inversion) -> String {
    "at \(hundredth(inversion.far)) m the beacon is \(tenth(inversion.decibels)) dB louder than at"
      + " \(hundredth(inversion.near)) m: captures exchanged? Check each --at, or measure again"
  }

  /// The limit between near and far in meters: the distance whose level is midway between those of the nearest place and
  /// the farthest; `nil` without a law.
  ///
  /// So the limit is right for these levels, for any distances of the law in between.
  package var nearLimit: Double? {
    let sorted = places.sorted { $0.session.meters < $1.session.meters }
    guard let fit, fit.calibration != nil, let near = sorted.first?.session.level?.dBm,
      let far = sorted.last?.session.level?.dBm
    else { return nil }
    let law = PathLoss.logDistance(exponent: fit.heldExponent)
    let meters = law.distance(rssi: (near + far) / 2, measuredPower: fit.heldPower)
    return (meters * 100).rounded() / 100
  }

  /// The beacon's power in dBm at one meter, to a tenth: by the law if there is one, else of the only place.
  package var power: Double? {
    let power =
      fit?.powerAtOneMeter ?? (places.count == 1 ? places[0].session.measuredPower() : nil)
    return power.map(Self.tenth)
  }

  /// The numbers of the configuration file, each with its keys; empty if there is nothing to be set.
  package var settings: [(path: [String], number: String)] {
    guard isUsable, let power else { return [] }
    let used = fit.map { Self.tenth($0.heldPower) } ?? power
    var settings: [(path: [String], number: String)] = []
    for place in places {
      guard let level = place.session.level?.dBm else { continue }
      let keys = ["calibration", "places", "\(beacon)", Self.key(place.session.meters)]
      settings.append((keys, "\(Self.tenth(level))"))
    }
    for (other, power) in others {
      settings.append((["calibration", "beacons", "\(other)"], "\(power)"))
    }
    // A new entry comes first in the file, so the beacon is the last here.
    let own = (path: ["calibration", "beacons", "\(beacon)"], number: "\(used)")
    guard let law = fit?.calibration else { return settings + [own] }
    let site = [
      ("powerAt1m", law.powerAtOneMeter), ("powerAtFar", law.powerAtFar),
      ("farDistance", law.farDistance),
    ]
    for (key, number) in site {
      settings.append((["calibration", "site", key], "\(Self.tenth(number))"))
    }
    return settings + [own]
  }

  /// The fault of the law in one line, if it has one.
  package var complaint: String? {
    guard places.count > 1 || fit != nil,
      places.allSatisfy({ $0.session.verdict.isUsable }) || isForced
    else { return nil }
    if !isForced, let inversion {
      return Self.sentence(inversion) + " (--force writes it all the same)"
    }
    guard let fit else { return "the distances are too similar to find how the signal falls" }
    return fit.calibration == nil
      ? "\(Self.tenth(fit.powerAtOneMeter)) dBm at 1 m is no beacon's: check the distances" : nil
  }

  /// A distance as a key of the configuration file, to a centimeter.
  private static func key(_ meters: Double) -> String {
    let rounded = (meters * 100).rounded() / 100
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  static func tenth(_ number: Double) -> Double { (number * 10).rounded() / 10 }
  private static func hundredth(_ number: Double) -> Double { (number * 100).rounded() / 100 }

  // MARK: Table

  /// The places and the result, for a user.
  package var table: [UInt8] {
    var lines: [String] = []
    for place in places {
      let (session, verdict) = (place.session, place.session.verdict)
      var line = "\(Self.tenth(session.meters)) m  \(session.count) samples"
      if !place.receiver.isEmpty { line += " by \(place.receiver.printable)" }
      if let median = session.median { line += ", median \(Int(median.rounded())) dBm" }
      lines.append(line + "  \(verdict)")
    }
    if isUsable, let power {
      let announced = places.lazy.compactMap(\.announcedPower).first
      let beside = announced.map { ", announced \($0) dBm" } ?? ""
      lines.append("power at 1 m: \(power) dBm\(beside)")
    }
    if isUsable, let fit {
      let measured =
        "\(Self.hundredth(fit.measuredExponent)) ± \(Self.hundredth(fit.exponentError))"
      var line = "path loss exponent: \(measured)"
      if fit.isClamped {
        line += ", which no room has; used is the limit of \(Self.hundredth(fit.exponent))"
      }
      if let shadowing = fit.shadowing { line += ", places scatter by \(Self.tenth(shadowing)) dB" }
      lines.append(line)
      lines.append(
        "to range by: \(Self.tenth(fit.heldPower)) dBm,"
          + " exponent \((fit.heldExponent * 100).rounded() / 100)"
      )
    }
    if isUsable, !others.isEmpty {
      let count = others.count == 1 ? "1 other beacon" : "\(others.count) other beacons"
      lines.append("the law fits the places of \(count) too, whose powers follow from it")
    }
    if let complaint { lines.append(complaint) }
    return CommandIO.table(lines)
  }

  // MARK: JSON

  /// One JSON object on one line.
  package var json: [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("uuid")
    writer.uuid(beacon.uuid)
    writer.integer("major", beacon.major)
    writer.integer("minor", beacon.minor)
    writer.bool("usable", isUsable)
    writer.hundredths("power", isUsable ? power : nil)
    writer.integer("announced", places.lazy.compactMap(\.announcedPower).first)
    writer.hundredths("exponent", isUsable ? fit?.exponent : nil)
    writer.bool("exponent_clamped", isUsable && fit?.isClamped == true)
    writer.hundredths("exponent_measured", isUsable ? fit?.measuredExponent : nil)
    writer.hundredths("exponent_error", isUsable ? fit?.exponentError : nil)
    writer.hundredths("held_power", isUsable ? fit?.heldPower : nil)
    writer.hundredths("held_exponent", isUsable ? fit?.heldExponent : nil)
    writer.hundredths("shadowing", isUsable ? fit?.shadowing : nil)
    writer.hundredths("near_limit", isUsable ? nearLimit : nil)
    writer.key("places")
    writer.beginArray()
    for place in places { Self.append(place, to: &writer) }
    writer.endArray()
    writer.endLine()
    return writer.bytes
  }

  private static func append(_ place: Place, to writer: inout JSONLineWriter) {
    writer.beginObject()
    writer.hundredths("distance", place.session.meters)
    writer.string("receiver", place.receiver.isEmpty ? nil : place.receiver)
    writer.integer("samples", place.session.count)
    writer.hundredths("median", place.session.median)
    writer.hundredths("level", place.session.level?.dBm)
    writer.hundredths("spread", place.session.spread)
    writer.hundredths("standard_error", place.session.standardError)
    writer.string("verdict", "\(place.session.verdict)")
    writer.endObject()
  }
}
