// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A configuration file, JSON5: `profile`, `set` with constants by their keys, `beacons` with their names, `regions` by
/// their names, `brokers` and `proxies` by their hosts, and `calibration`, whose keys can be names of `beacons`.
///
/// ```json5
/// {
///   profile: "default",
///   set: { "ranging.linger": 10 },
///   beacons: { "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/7": "Astrolabe" },
///   regions: { lobby: { exit: 8, sightings: 3, rssiFloor: -75 } },
///   brokers: { "pi.local": { user: "hall", passwordFile: "/etc/beacons/mqtt-password" } },
///   calibration: {
///     beacons: { "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17": -61.5 },   // dBm at 1 m
///     receivers: { hci0: -3 },                                          // dB added to its reports
///     site: { powerAt1m: -59, powerAtFar: -75, farDistance: 6 },
///     places: { "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17": { "1": -61.5, "6": -77 } },   // dBm by meters
///   },
/// }
/// ```
package struct ConfigurationFile {
  /// The profile named; `nil` if none is.
  package private(set) var profile: Profile?
  /// The constants set, in the order of the file.
  package private(set) var settings: [ConfigurationSetting] = []
  /// The names of beacons.
  package private(set) var names = NameBook()
  /// How events are written where standard output is not a terminal; `nil` if the file leaves it open.
  package private(set) var pipedFormat: String?
  /// What differs for single regions, by their names.
  package private(set) var regions: [String: RegionSettings] = [:]
  /// How brokers are logged in to, by their hosts.
  package private(set) var brokers: [String: BrokerSettings] = [:]
  /// How Bluetooth proxies are connected to, by their hosts.
  package private(set) var proxies: [String: ProxySettings] = [:]
  /// The file's values of beacons.
  package private(set) var calibration = Calibration()
  /// The addition to a receiver's RSSI in dB, by the receiver's name.
  package private(set) var receiverOffsets: [(name: String, decibels: Double)] = []
  /// The measurement of the site.
  package private(set) var site: TwoPointCalibration?
  /// The levels from which the site's law was fitted.
  package private(set) var places: [MeasuredPlace] = []

  /// The level of a beacon at a distance, as `calibrate` measured it.
  package struct MeasuredPlace: Equatable {
    /// The beacon.
    package let beacon: BeaconIdentity
    /// The distance in meters.
    package let meters: Double
    /// The level in dBm.
    package let level: Double
  }

  /// The formats of `output.piped`.
  package static let pipedFormats = ["table", "json", "jsonl", "csv", "none"]

  /// Reads the text of a file.
  ///
  /// - Throws: ``JSON5Faults`` with every fault of the text.
  package init(_ text: [UInt8], _ schema: ConfigurationSchema) throws(JSON5Faults) {
    let faults = FaultCollector()
    let value = try JSON5.parse(text, faults: faults)
    if var file = JSON5Reader(value, name: "a configuration", faults: faults).object() {
      profile = file.optional("profile")?.choice(Profile.allCases.map(\.rawValue))
        .flatMap(Profile.init)
      if let set = file.optional("set") { settings = ConstantReader.read(set, schema) }
      // Names are read first: they can stand for their beacons.
      if let beacons = file.optional("beacons") { names.read(beacons) }
      if var output = file.optional("output")?.object() {
        pipedFormat = output.optional("piped")?.choice(Self.pipedFormats)
        output.finish()
      }
      if var regions = file.optional("regions")?.object() {
        for (name, _, value) in regions.entries() {
          self.regions[name] = RegionSettings.read(value)
        }
      }
      if var brokers = file.optional("brokers")?.object() {
        for (host, _, value) in brokers.entries() {
          self.brokers[host] = BrokerSettings.read(value)
        }
      }
      if var proxies = file.optional("proxies")?.object() {
        for (host, _, value) in proxies.entries() {
          self.proxies[host] = ProxySettings.read(value)
        }
      }
      if var calibration = file.optional("calibration")?.object() { readCalibration(&calibration) }
      file.finish()
    }
    try faults.throwIfAny()
  }

  private mutating func readCalibration(_ object: inout ObjectReader) {
    if var beacons = object.optional("beacons")?.object() {
      for (key, _, value) in beacons.entries() {
        guard let power = value.number() else { continue }
        do {
          try calibration.setPower(power, for: names.constraint(key))
        } catch {
          value.addFault("\(key): \(error)")
        }
      }
    }
    if var receivers = object.optional("receivers")?.object() {
      for (name, _, value) in receivers.entries() {
        guard let offset = value.number() else { continue }
        if Calibration.offsetRange.contains(offset) {
          receiverOffsets.append((name.exactName, offset))
        } else {
          value.addFault("an offset is from -40 to 40 dB")
        }
      }
    }
    if let reader = object.optional("site"), var site = reader.object() {
      readSite(&site, reader)
    }
    if var places = object.optional("places")?.object() {
      for (key, _, value) in places.entries() { readPlaces(of: key, value) }
    }
    object.finish()
  }

  private mutating func readPlaces(of key: String, _ reader: JSON5Reader) {
    guard case .minor(let beacon)? = try? names.constraint(key) else {
      return reader.addFault(
        "'\(key)' must name one beacon: UUID/MAJOR/MINOR, or a name of 'beacons'"
      )
    }
    guard var levels = reader.object() else { return }
    for (key, _, value) in levels.entries() {
      guard let meters = Double(key), CalibrationSession.distances.contains(meters) else {
        value.addFault("'\(key)' is no distance from 0.1 to 100 m")
        continue
      }
      guard let level = value.number(in: -128...0) else { continue }
      places.append(MeasuredPlace(beacon: beacon, meters: meters, level: level))
    }
  }

  private mutating func readSite(_ object: inout ObjectReader, _ reader: JSON5Reader) {
    let near = object.required("powerAt1m")?.number()
    let far = object.required("powerAtFar")?.number()
    let distance = object.required("farDistance")?.number()
    object.finish()
    guard let near, let far, let distance else { return }
    site = TwoPointCalibration(powerAtOneMeter: near, powerAtFar: far, farDistance: distance)
    if site == nil {
      reader.addFault("the far point must be at 2 m or more and weaker than the power at 1 m")
    }
  }
}
