// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@Suite struct CalibrationTests {
  static let beacon = BeaconIdentity(uuid: 1, major: 2, minor: 3)

  /// Row W8.
  @Test(arguments: [
    (Int8?.none, Double?.none), (0, nil), (1, nil), (12, nil), (127, nil), (-128, nil),
    (-127, -127.0), (-1, -1), (-59, -59),
  ])
  func `zero, positive and unknown powers are no calibration`(_ announced: Int8?, _ power: Double?)
  {
    #expect(MeasuredPower.calibration(announced: announced) == power)
    var calibration = Calibration()
    (calibration.weakestAnnouncedPower, calibration.strongestAnnouncedPower) = (-127, -1)
    #expect(calibration.power(for: Self.beacon, announced: announced) == power)
  }

  @Test(arguments: [
    (Int8(-1), false), (-2, false), (-19, false), (-20, true), (-59, true), (-100, true),
    (-101, false), (-110, false), (-127, false),
  ])
  func `an implausible power is no calibration, except in Core Location's profiles`(
    _ announced: Int8,
    _ isBelieved: Bool
  ) throws {
    var ours = Configuration(.standard).ranging.calibration
    let apple = Configuration(.coreLocation14).ranging.calibration
    #expect((ours.power(for: Self.beacon, announced: announced) != nil) == isBelieved)
    #expect(apple.power(for: Self.beacon, announced: announced) == Double(announced))
    try ours.setPower(-3, for: .uuid(1))
    #expect(ours.power(for: Self.beacon, announced: announced) == -3)
  }

  @Test func `the most specific override wins over what is announced, and the fallback is last`()
    throws
  {
    var calibration = Calibration()
    try calibration.setFallbackPower(-65)
    #expect(calibration.power(for: Self.beacon, announced: 0) == -65)
    #expect(calibration.power(for: Self.beacon, announced: -59) == -59)
    try calibration.setPower(-61, for: .uuid(1))
    #expect(calibration.power(for: Self.beacon, announced: -59) == -61)
    try calibration.setPower(-63, for: .minor(Self.beacon))
    try calibration.setPower(-62, for: .major(1, 2))
    #expect(calibration.power(for: Self.beacon, announced: -59) == -63)
    #expect(calibration.power(for: .init(uuid: 1, major: 2, minor: 4), announced: -59) == -62)
    #expect(calibration.power(for: .init(uuid: 1, major: 3, minor: 3), announced: -59) == -61)
    #expect(calibration.power(for: .init(uuid: 2, major: 2, minor: 3), announced: nil) == -65)
    #expect(calibration.overrides.map(\.power) == [-61, -62, -63])
  }

  @Test func `receivers are offset one by one`() throws {
    var calibration = Calibration()
    #expect(calibration.offset(forReceiver: 0) == 0)
    try calibration.setOffset(-7.5, forReceiver: 3)
    try calibration.setOffset(2, forReceiver: 1)
    #expect(calibration.offset(forReceiver: 3) == -7.5 && calibration.offset(forReceiver: 0) == 0)
    #expect(calibration.receiverOffsets.map(\.receiver) == [1, 3])
  }

  @Test(arguments: [0.0, 4, -128, -200, .infinity])
  func `what cannot be a power is refused`(_ power: Double) {
    var calibration = Calibration()
    #expect(throws: CalibrationError.powerOutOfRange(power)) {
      try calibration.setPower(power, for: .uuid(1))
    }
    #expect(throws: CalibrationError.powerOutOfRange(power)) {
      try calibration.setFallbackPower(power)
    }
    #expect(throws: CalibrationError.offsetOutOfRange(41)) {
      try calibration.setOffset(41, forReceiver: 0)
    }
    #expect(calibration == Calibration())
  }
}
