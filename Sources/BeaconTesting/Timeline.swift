// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

/// Inputs of the air as a test thinks of them: beacons by name, times in seconds from a start.
public struct Timeline: Sendable {
  /// The whole second that 0 stands for unless a test says otherwise: 2023-11-14T22:13:20Z.
  public static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  /// The beacon of a timeline that names none: UUID 1, major 1, minor 1.
  public static let beacon = BeaconIdentity(uuid: 1, major: 1, minor: 1)
  /// The power byte of a report that does not say: −59 dBm at 1 m, what most beacons are set to.
  public static let measuredPower: Int8 = -59
  /// The signal strength in dBm of a report that does not say: a beacon at about a meter.
  public static let rssi: Int8 = -60

  /// The time that 0 stands for.
  public let start: Timestamp
  private var inputs: [(input: ScanInput, payload: [UInt8])] = []

  /// Creates a timeline on which nothing happens.
  public init(startingAt start: Timestamp = Timeline.start) {
    self.start = start
  }

  /// Creates a timeline from a text: a character is a second.
  ///
  /// `*` the beacon is heard at the second's beginning, `-` nothing is heard, `.` nothing is known (a paused recording),
  /// `0` the radio is switched off, `1` it is switched on.
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
      case "*": heard(beacon, rssi: rssi, at: seconds)
      case "-": listening(at: seconds)
      case ".": continue
      case "0": radio(.off, at: seconds)
      case "1": radio(.listening, at: seconds)
      default: throw TimelineSyntaxError(character: character, index: index)
      }
    }
    // The last second is listened to until just before its end, so that what falls due in it is told.
    if let last = text.last, last != "." { listening(at: Double(text.count) - 0.000_001) }
  }

  /// The time of a second of the timeline.
  public func time(_ seconds: Double) -> Timestamp { start + TimeSpan(seconds: seconds) }

  /// A beacon is heard.
  ///
  /// - Parameters:
  ///   - beacon: The beacon.
  ///   - rssi: Its signal strength in dBm; `nil` where the controller has none.
  ///   - seconds: When.
  ///   - measuredPower: Its power byte in dBm at 1 m.
  ///   - receiver: Who hears it.
  ///   - address: The device address it comes from.
  public mutating func heard(
    _ beacon: BeaconIdentity,
    rssi: Int8? = Timeline.rssi,
    at seconds: Double,
    measuredPower: Int8 = Timeline.measuredPower,
    receiver: UInt8 = 0,
    address: DeviceAddress? = nil
  ) {
    heard(
      payload: BeaconEncoder.advertisingData(beacon, measuredPower: measuredPower),
      rssi: rssi,
      at: seconds,
      receiver: receiver,
      address: address
    )
  }

  /// A packet of any advertising data is heard.
  ///
  /// - Parameters:
  ///   - payload: The advertising data.
  ///   - rssi: Its signal strength in dBm; `nil` where the controller has none.
  ///   - seconds: When.
  ///   - receiver: Who hears it.
  ///   - address: The device address it comes from.
  public mutating func heard(
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

  /// The radio listens and hears nothing.
  public mutating func listening(at seconds: Double) {
    inputs.append((.mark(time(seconds)), []))
  }

  /// The radio listens from one second through another, a mark every second.
  public mutating func listening(from first: Int, through last: Int) {
    guard first <= last else { return }
    for second in first...last { listening(at: Double(second)) }
  }

  /// A receiver's state changes.
  public mutating func radio(_ state: RadioState, of receiver: UInt8 = 0, at seconds: Double) {
    inputs.append((.radio(receiver: receiver, state, time(seconds)), []))
  }

  /// The inputs in batches, by time; those of one time in the order they were added.
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

  /// The inputs before a time, and those from it on: a program that is stopped and started again.
  public func split(at seconds: Double) -> (Timeline, Timeline) {
    let (moment, parts) = (
      time(seconds), (Timeline(startingAt: start), Timeline(startingAt: start))
    )
    var (before, after) = parts
    for element in inputs {
      if element.input.time < moment {
        before.inputs.append(element)
      } else {
        after.inputs.append(element)
      }
    }
    return (before, after)
  }
}

/// A character that a timeline does not know.
public struct TimelineSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The character.
  public let character: Character
  /// Where it stands, from 0.
  public let index: Int

  /// Creates the error.
  public init(character: Character, index: Int) {
    self.character = character
    self.index = index
  }

  /// What is wrong, and what would be right.
  public var description: String {
    "'\(character)' at \(index): a timeline is written with * - . 0 and 1"
  }
}
