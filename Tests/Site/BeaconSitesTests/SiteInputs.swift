// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

@testable import BeaconSites

/// Scan inputs of a small site, second by second.
struct SiteInputs {
  static let hall = "hall"
  static let cellar = "cellar"
  static let names = [hall, cellar]
  static let start = Timestamp(microseconds: 1_767_225_600_000_000)
  static let identity = BeaconIdentity(
    uuid: 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E,
    major: 1,
    minor: 1
  )

  var batch = ScanBatch()

  /// The time of a second since the start.
  static func time(_ seconds: Double) -> Timestamp { start + TimeSpan(seconds: seconds) }

  mutating func state(_ receiver: UInt8, _ state: RadioState, at seconds: Double) {
    batch.inputs.append(.radio(receiver: receiver, state, Self.time(seconds)))
  }

  mutating func mark(at seconds: Double) {
    batch.inputs.append(.mark(Self.time(seconds)))
  }

  mutating func report(
    _ rssi: Int8?,
    from receiver: UInt8,
    at seconds: Double,
    of identity: BeaconIdentity = Self.identity,
    power: Int8 = -59
  ) {
    var payload: [UInt8] = [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
    for shift in stride(from: 120, through: 0, by: -8) {
      payload.append(UInt8(truncatingIfNeeded: identity.uuid >> UInt128(shift)))
    }
    payload += [identity.major, identity.minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    payload.append(UInt8(bitPattern: power))
    batch.append(
      AdvertisingReport(
        time: Self.time(seconds),
        rssi: rssi,
        receiver: receiver,
        payloadStart: 0,
        payloadCount: 0
      ),
      payload: payload
    )
  }

  /// A beacon in the hall for some seconds, then in the cellar for as many, ten reports a second at each receiver that
  /// receives it; both receivers listen from the start.
  static func walk(seconds: Int, without lost: UInt8? = nil, power: Int8 = -59) -> SiteInputs {
    var inputs = SiteInputs()
    for receiver: UInt8 in [0, 1] where receiver != lost {
      inputs.state(receiver, .listening, at: 0)
    }
    for second in 0..<2 * seconds {
      let near: UInt8 = second < seconds ? 0 : 1
      for tenth in 0..<10 {
        let time = Double(second) + Double(tenth) / 10 + 0.05
        let level = Int8(-60 - (second * 7 + tenth * 3) % 5 + Int(power) + 59)
        if near != lost { inputs.report(level, from: near, at: time, power: power) }
        if second % 4 == 0, near != 1, lost != 1 {
          inputs.report(level - 30, from: 1, at: time, power: power)
        }
      }
      inputs.mark(at: Double(second) + 0.99)
    }
    inputs.mark(at: Double(2 * seconds))
    return inputs
  }

  /// The labels of ``walk(seconds:without:power:)``.
  static func truth(seconds: Int) throws -> TruthTable {
    let text = "start,end,name\n0,\(seconds),hall\n\(seconds),\(2 * seconds),cellar\n"
    return try TruthTable(Array(text.utf8), startingAt: start)
  }

  /// The model of a walk of a minute in each place.
  static func model() throws -> SiteModel {
    var surveyor = SiteSurveyor()
    surveyor.start(try truth(seconds: 60))
    surveyor.add(walk(seconds: 60).batch, receivers: names)
    return surveyor.model
  }

  /// Where the beacon is said to be in each second.
  func places(_ model: SiteModel, names: [String] = Self.names) -> [String?] {
    var fusion = SiteFusion(model)
    return fusion.add(batch, receivers: names).map { $0.place.map { model.places[$0].name } }
  }
}
