// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

/// Scan inputs written for a test: beacons by identity, times in seconds from a start.
public struct Timeline: Sendable {
  /// The default start of a timeline, a whole second: 2023-11-14T22:13:20Z.
  public static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  /// The default beacon of a timeline: UUID 1, major 1, minor 1.
  public static let beacon = BeaconIdentity(uuid: 1, major: 1, minor: 1)
  /// The default power byte of a report: −59 dBm at 1 m, the setting of most beacons.
  public static let measuredPower: Int8 = -59
  /// The default signal strength of a report in dBm: a beacon at about one meter.
  public static let rssi: Int8 = -60

  /// The time at second 0.
  public let start: Timestamp
  private var inputs: [(input: ScanInput, payload: [UInt8])] = []

  /// Creates an empty timeline.
  public init(startingAt start: Timestamp = Timeline.start) {
    self.start = start
  }

  /// Creates a timeline from a text in which each character is a second.
  ///
  /// `*`: the beacon is received at the start of the second. `-`: nothing is received. `.`: nothing is known (a paused
  /// recording). `0`: the radio is switched off. `1`: the radio is switched on.
  ///
  /// - Throws: ``TimelineSyntaxError`` for any other character.
  public init(
    _ text: String,
    of beacon: BeaconIdentity = Timeline.beacon,
    rssi: Int8 = Timeline.rssi,
    startingAt start: Timestamp = Timeline.start
  ) throws(TimelineSyntaxError) {
    self.init(startingAt: start)
    for (index, character) in text.enumerated() {
      let seconds = Double(index)
      switch character {
      case "*": received(beacon, rssi: rssi, at: seconds)
      case "-": listening(at: seconds)
      case ".": continue
      case "0": radio(.off, at: seconds)
      case "1": radio(.listening, at: seconds)
      default: throw TimelineSyntaxError(character: character, index: index)
      }
    }
    // The radio listens until just before the end of the last second, so that everything due in it is delivered.
    if let last = text.last, last != "." { listening(at: Double(text.count) - 0.000_001) }
  }

  /// Returns the time of a second of the timeline.
  public func time(_ seconds: Double) -> Timestamp { start + TimeSpan(seconds: seconds) }

  /// Adds a report of a beacon.
  ///
  /// - Parameters:
  ///   - beacon: The beacon's identity.
  ///   - rssi: Its signal strength in dBm; `nil` if the controller reports none.
  ///   - seconds: The time in seconds.
  ///   - measuredPower: Its power byte in dBm at 1 m.
  ///   - receiver: The number of the receiver.
  ///   - address: The device address of the sender.
  public mutating func received(
    _ beacon: BeaconIdentity,
    rssi: Int8? = Timeline.rssi,
    at seconds: Double,
    measuredPower: Int8 = Timeline.measuredPower,
    receiver: UInt8 = 0,
    address: DeviceAddress? = nil
  ) {
    received(
      payload: BeaconEncoder.advertisingData(beacon, measuredPower: measuredPower),
      rssi: rssi,
      at: seconds,
      receiver: receiver,
      address: address
    )
  }

  /// Adds a report with any advertising data.
  ///
  /// - Parameters:
  ///   - payload: The advertising data.
  ///   - rssi: Its signal strength in dBm; `nil` if the controller reports none.
  ///   - seconds: The time in seconds.
  ///   - receiver: The number of the receiver.
  ///   - address: The device address of the sender.
  public mutating func received(
    payload: [UInt8],
    rssi: Int8? = Timeline.rssi,
    at seconds: Double,
    receiver: UInt8 = 0,
    address: DeviceAddress? = nil
  ) {
    let report = AdvertisingReport(
      time: time(seconds),
      rssi: rssi,
      receiver: receiver,
      address: address,
      payloadStart: 0,
      payloadCount: 0
    )
    inputs.append((.report(report), payload))
  }

  /// Adds a mark: the radio listens and receives nothing.
  public mutating func listening(at seconds: Double) {
    inputs.append((.mark(time(seconds)), []))
  }

  /// Adds a mark for every second from one second through another.
  public mutating func listening(from first: Int, through last: Int) {
    guard first <= last else { return }
    for second in first...last { listening(at: Double(second)) }
  }

  /// Adds a change of a receiver's state.
  public mutating func radio(_ state: RadioState, of receiver: UInt8 = 0, at seconds: Double) {
    inputs.append((.radio(receiver: receiver, state, time(seconds)), []))
  }

  /// Returns a timeline with another one's inputs as well, for several beacons:
  /// `try Timeline("*---*", of: hall).merging(Timeline("--*--", of: shop))`.
  public func merging(_ other: Timeline) -> Timeline {
    var merged = self
    merged.inputs += other.inputs
    return merged
  }

  /// Returns the inputs in batches, ordered by time; inputs of the same time stay in the order in which they were
  /// added.
  ///
  /// - Parameter size: How many inputs a batch holds.
  /// - Returns: The batches, none of them empty.
  public func batches(of size: Int = .max) -> [ScanBatch] {
    let ordered = inputs.enumerated().sorted {
      ($0.element.input.time, $0.offset) < ($1.element.input.time, $1.offset)
    }
    var batches: [ScanBatch] = []
    for (_, element) in ordered {
      if (batches.last?.inputs.count ?? .max) >= max(size, 1) { batches.append(ScanBatch()) }
      let last = batches.count - 1
      if case .report(let report) = element.input {
        batches[last].append(report, payload: element.payload)
      } else {
        batches[last].inputs.append(element.input)
      }
    }
    return batches
  }

  /// Returns the inputs before a time and the inputs from that time on, to test a program that stops and starts again.
  public func split(at seconds: Double) -> (Timeline, Timeline) {
    let (boundary, parts) = (
      time(seconds), (Timeline(startingAt: start), Timeline(startingAt: start))
    )
    var (before, after) = parts
    for element in inputs {
      if element.input.time < boundary {
        before.inputs.append(element)
      } else {
        after.inputs.append(element)
      }
    }
    return (before, after)
  }
}

/// An error for a character that a timeline does not know.
public struct TimelineSyntaxError: BeaconError, Sendable, Hashable {
  /// The character.
  public let character: Character
  /// The position in the text, from 0.
  public let index: Int

  /// Creates the error.
  public init(character: Character, index: Int) {
    self.character = character
    self.index = index
  }

  /// The fault, and what would be valid.
  public var description: String {
    "'\(character)' at \(index): a timeline is written with * - . 0 and 1"
  }
}
