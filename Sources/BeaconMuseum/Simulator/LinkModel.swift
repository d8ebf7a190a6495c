// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a signal loses on its way from a beacon to a visitor's receiver.
///
///     RSSI = P + ΔTX + ΔRX − 10 n log₁₀(max(d, 0.3)) − walls + S(x, y) − body − crowd + F(channel) + ε
///
/// Every number comes from ``SimulationConstants``, where its source is.
package struct LinkModel: Sendable {
  package var powerAtOneMeter: Double
  package var exponent: Double
  package var nearestDistance: Double
  package var beaconDeviation: Double
  package var receiverDeviation: Double
  package var wallLoss: Double
  package var shadowDeviation: Double
  package var shadowDistance: Double
  package var shadowFloor: Double
  /// Rician factor in dB with line of sight.
  package var lineOfSightFactor: Double
  /// Rician factor in dB without.
  package var obstructedFactor: Double
  /// What fading takes from a mean of dB in line of sight; the power at 1 m was measured with it.
  package var fadingMean: Double
  package var fadingDistance: Double
  package var swaySpeed: Double
  package var readingDeviation: Double
  /// What the own body takes in dB when it is between, over visitors.
  package var bodyLoss: ClosedRange<Double>
  package var bystanderLoss: Double
  package var crowdLossMost: Double
  package var bystanderRadius: Double
  /// People who stand about and have no receiver, for each square meter.
  package var bystanders = 0.0

  /// Takes the numbers of a file.
  package init(_ constants: SimulationConstants) throws(SimulationConstants.Missing) {
    powerAtOneMeter = try constants.number("link.powerAtOneMeter")
    exponent = try constants.number("link.exponent")
    nearestDistance = try constants.number("link.nearestDistance")
    beaconDeviation = try constants.number("link.beaconDeviation")
    receiverDeviation = try constants.number("link.receiverDeviation")
    wallLoss = try constants.number("link.wallLoss")
    shadowDeviation = try constants.number("link.shadowDeviation")
    shadowDistance = try constants.number("link.shadowDistance")
    shadowFloor = try constants.number("link.shadowFloor")
    lineOfSightFactor = try constants.number("link.lineOfSightFactor")
    obstructedFactor = try constants.number("link.obstructedFactor")
    fadingMean = try constants.number("link.fadingMean")
    fadingDistance = try constants.number("link.fadingDistance")
    swaySpeed = try constants.number("link.swaySpeed")
    readingDeviation = try constants.number("link.readingDeviation")
    let least = try constants.number("link.bodyLossLeast")
    bodyLoss = least...max(least, try constants.number("link.bodyLossMost"))
    bystanderLoss = try constants.number("link.personLoss")
    crowdLossMost = try constants.number("link.crowdLossMost")
    bystanderRadius = try constants.number("link.personRadius")
  }
}
