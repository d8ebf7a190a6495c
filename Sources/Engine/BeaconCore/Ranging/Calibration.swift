// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An operator's values for powers and receivers, which take precedence over the announced values.
public struct Calibration: Sendable, Hashable {
  /// The power in dBm for a beacon that neither announces a calibration nor has an override; without it, such a beacon
  /// has no distance.
  ///
  /// None by default, because a guess would look like a measurement.
  public private(set) var fallbackPower: Double?

  /// The strongest announced power in dBm that counts as a calibration; values of the operator are always used.
  public var strongestAnnouncedPower = MeasuredPower.strongestPlausible
  /// The weakest announced power in dBm that counts as a calibration.
  public var weakestAnnouncedPower = MeasuredPower.weakestPlausible

  private var powers: [IdentityConstraint: Double] = [:]
  private var offsets: [UInt8: Double] = [:]

  /// The range of a receiver's offset, in dB: antennas and radios differ by up to about 20, so more than 40
  /// either way is a typing error.
  public static let offsetRange: ClosedRange<Double> = -40...40

  /// Creates a calibration that trusts what beacons announce.
  public init() {}

  /// Sets the measured power in dBm of all beacons satisfying a constraint; the most specific constraint wins.
  ///
  /// - Throws: ``CalibrationError/powerOutOfRange(_:)`` when the power is not above −128 and below 0.
  public mutating func setPower(
    _ power: Double,
    for constraint: IdentityConstraint
  ) throws(CalibrationError) {
    guard MeasuredPower.isCalibration(power) else { throw .powerOutOfRange(power) }
    powers[constraint] = power
  }

  /// Sets ``fallbackPower``, for instance a measured site's power at one meter; `nil` removes it.
  ///
  /// - Throws: ``CalibrationError/powerOutOfRange(_:)`` when the power is not above −128 and below 0.
  public mutating func setFallbackPower(_ power: Double?) throws(CalibrationError) {
    if let power, !MeasuredPower.isCalibration(power) { throw .powerOutOfRange(power) }
    fallbackPower = power
  }

  /// Sets the offset that is added to every RSSI of a receiver, in dB.
  ///
  /// - Throws: ``CalibrationError/offsetOutOfRange(_:)`` when the offset is not within ``offsetRange``.
  public mutating func setOffset(
    _ offset: Double,
    forReceiver receiver: UInt8
  ) throws(CalibrationError) {
    guard Self.offsetRange.contains(offset) else { throw .offsetOutOfRange(offset) }
    offsets[receiver] = offset
  }

  /// Returns the power in dBm at one meter for ranging a beacon; `nil` if there is none, so that it has no distance.
  ///
  /// The order of precedence: an override for the identity, for its major, for its UUID; the announced power; the
  /// fallback.
  @inline(__always)
  public func power(for identity: BeaconIdentity, announced: Int8?) -> Double? {
    powers.isEmpty ? believed(announced) ?? fallbackPower : set(for: identity, announced)
  }

  @inline(never)
  private func set(for identity: BeaconIdentity, _ announced: Int8?) -> Double? {
    powerSet(for: identity) ?? believed(announced) ?? fallbackPower
  }

  private func powerSet(for identity: BeaconIdentity) -> Double? {
    guard !powers.isEmpty else { return nil }
    return powers[.minor(identity)]
      ?? powers[.major(identity.uuid, identity.major)]
      ?? powers[.uuid(identity.uuid)]
  }

  /// Returns by how many decibels one announced power of a beacon exceeds another; `nil` if one of them is not a
  /// calibration, or the operator has set the beacon's power.
  package func difference(_ power: Int8, _ other: Int8, of identity: BeaconIdentity) -> Int? {
    guard let one = believed(power), let two = believed(other),
      self.power(for: identity, announced: power) == one,
      self.power(for: identity, announced: other) == two
    else { return nil }
    return Int(power) - Int(other)
  }

  /// Returns whether the levels of reports that announce a power cannot be compared with those of another power of the
  /// beacon: only the other one is a calibration, and the operator has set no power for the beacon.
  package func isUseless(_ power: Int8, beside other: Int8, of identity: BeaconIdentity) -> Bool {
    believed(power) == nil && believed(other) != nil && powerSet(for: identity) == nil
  }

  /// Returns whether two announced powers of a beacon, of which one cannot be a calibration, mean the same: both are replaced
  /// by a power of the operator.
  package func areReplaced(_ power: Int8, _ other: Int8, of identity: BeaconIdentity) -> Bool {
    if powerSet(for: identity) != nil { return true }
    return fallbackPower != nil && believed(power) == nil && believed(other) == nil
  }

  @inline(__always)
  private func believed(_ announced: Int8?) -> Double? {
    guard let power = MeasuredPower.calibration(announced: announced),
      power >= weakestAnnouncedPower, power <= strongestAnnouncedPower
    else { return nil }
    return power
  }

  /// Returns the offset that is added to every RSSI of a receiver, in dB; 0 if none was set.
  public func offset(forReceiver receiver: UInt8) -> Double {
    offsets.isEmpty ? 0 : offsets[receiver] ?? 0
  }

  /// All overrides, ordered by constraint.
  public var overrides: [(constraint: IdentityConstraint, power: Double)] {
    powers.sorted { $0.key < $1.key }.map { (constraint: $0.key, power: $0.value) }
  }

  /// All receiver offsets, ordered by receiver.
  public var receiverOffsets: [(receiver: UInt8, offset: Double)] {
    offsets.sorted { $0.key < $1.key }.map { (receiver: $0.key, offset: $0.value) }
  }
}
