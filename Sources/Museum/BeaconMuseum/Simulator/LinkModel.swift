// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The loss of a signal between a beacon and a visitor's receiver.
///
///     RSSI = P + ΔTX + ΔRX − 10 n log₁₀(max(d, 0.3)) − walls + S(x, y) − body − crowd + F(channel) + ε
///
/// ``constants`` gives the source of each number.
package struct LinkModel: Sendable {
  /// The mean RSSI at 1 m, in dBm.
  package var powerAtOneMeter = -59.0
  /// The path loss exponent of the log-distance model.
  package var exponent = 2.4
  /// The distance in meters below which a signal grows no stronger.
  package var nearestDistance = 0.3
  /// The standard deviation of beacons' transmit powers, in dB.
  package var beaconDeviation = 2.0
  /// The standard deviation of receivers' sensitivities, in dB.
  package var receiverDeviation = 3.0
  /// The loss of a wall, in dB.
  package var wallLoss = 6.9
  /// The standard deviation of shadowing, in dB.
  package var shadowDeviation = 4.0
  /// The distance in meters over which shadowing is correlated.
  package var shadowDistance = 2.0
  /// The correlation of shadowing that remains at any distance.
  package var shadowFloor = 0.1
  /// The Rician factor with line of sight, in dB.
  package var lineOfSightFactor = 6.0
  /// The Rician factor without line of sight, in dB.
  package var obstructedFactor = 0.0
  /// The reduction of a mean in dB by fading with line of sight; the power at 1 m was measured with it.
  package var fadingMean = 0.96
  /// The distance in meters over which fading becomes uncorrelated.
  package var fadingDistance = 0.031
  /// The speed of a standing visitor's receiver, in m/s.
  package var swaySpeed = 0.02
  /// The standard deviation of a reading's noise, in dB.
  package var readingDeviation = 1.0
  /// The least loss of a visitor's own body in dB when it is in the line of sight.
  package var bodyLossLeast = 5.0
  /// The largest loss of a visitor's own body in dB when it is in the line of sight.
  package var bodyLossMost = 10.0
  /// The loss of another person in the line of sight, in dB.
  package var bystanderLoss = 4.0
  /// The largest loss of all other people together, in dB.
  package var crowdLossMost = 16.5
  /// The distance in meters from the line of sight within which another person blocks it.
  package var bystanderRadius = 0.3
  /// The number of people without a receiver who stand around, for each square meter.
  package var bystanders = 0.0

  /// Creates the model with the numbers of ``constants``.
  package init() {}

  /// The loss of a visitor's own body in dB when it is in the line of sight, which varies between visitors.
  package var bodyLoss: ClosedRange<Double> { bodyLossLeast...max(bodyLossLeast, bodyLossMost) }

  /// The numbers and their sources.
  package static let constants: [SimulationConstant<LinkModel>] = [
    SimulationConstant(
      "link.powerAtOneMeter",
      \.powerAtOneMeter,
      unit: "dBm",
      source: "Blue Charm, table of transmit power against RSSI at 1 m, row 0 dBm"
    ),
    SimulationConstant(
      "link.exponent",
      \.exponent,
      unit: "",
      source:
        "Marolf 2.415 +- 0.128 in a living room; between Strzoda's open indoor 2.03 (our fit) "
        + "and ESPresense's 2.7"
    ),
    SimulationConstant(
      "link.nearestDistance",
      \.nearestDistance,
      unit: "m",
      source: "assumed: the far field's law does not hold nearer"
    ),
    SimulationConstant(
      "link.beaconDeviation",
      \.beaconDeviation,
      unit: "dB",
      source: "assumed: spread of transmit power among beacons of a batch"
    ),
    SimulationConstant(
      "link.receiverDeviation",
      \.receiverDeviation,
      unit: "dB",
      source: "ESPresense, receiver adjustments of boards"
    ),
    SimulationConstant(
      "link.wallLoss",
      \.wallLoss,
      unit: "dB",
      source: "COST-231 multi-wall model, heavy wall"
    ),
    SimulationConstant(
      "link.shadowDeviation",
      \.shadowDeviation,
      unit: "dB",
      source: "Oestges 2010, indoor 2.4 GHz, 3 to 4 dB"
    ),
    SimulationConstant(
      "link.shadowDistance",
      \.shadowDistance,
      unit: "m",
      source: "assumed within 1 to 3 m; the exponential form with a floor is Jeon 2010"
    ),
    SimulationConstant(
      "link.shadowFloor",
      \.shadowFloor,
      unit: "",
      source: "Jeon 2010: the correlation does not fall to nothing; the value is assumed"
    ),
    SimulationConstant(
      "link.lineOfSightFactor",
      \.lineOfSightFactor,
      unit: "dB",
      source: "assumed: Rician K with line of sight"
    ),
    SimulationConstant(
      "link.obstructedFactor",
      \.obstructedFactor,
      unit: "dB",
      source: "assumed: Rician K behind a wall or the own body"
    ),
    SimulationConstant(
      "link.fadingMean",
      \.fadingMean,
      unit: "dB",
      source:
        "-(10 / ln 10) (ln(K / (K + 1)) + E1(K)) for K 6 dB: what fading takes from a mean of "
        + "dB in line of sight, which the power at 1 m was measured with"
    ),
    SimulationConstant(
      "link.fadingDistance",
      \.fadingDistance,
      unit: "m",
      source: "a quarter of the wave length at 2.44 GHz: fades repeat each half of it, 6.1 cm"
    ),
    SimulationConstant(
      "link.swaySpeed",
      \.swaySpeed,
      unit: "m/s",
      source: "assumed: how much a person who stands moves the receiver and is moved around"
    ),
    SimulationConstant(
      "link.readingDeviation",
      \.readingDeviation,
      unit: "dB",
      source: "assumed: noise of the reading itself, before it is rounded to 1 dB"
    ),
    SimulationConstant(
      "link.bodyLossLeast",
      \.bodyLossLeast,
      unit: "dB",
      source: "assumed: own body, facing away, lower bound over visitors"
    ),
    SimulationConstant(
      "link.bodyLossMost",
      \.bodyLossMost,
      unit: "dB",
      source: "assumed: own body, facing away, upper bound over visitors"
    ),
    SimulationConstant(
      "link.personLoss",
      \.bystanderLoss,
      unit: "dB",
      source: "assumed: another person in the line of sight"
    ),
    SimulationConstant(
      "link.crowdLossMost",
      \.crowdLossMost,
      unit: "dB",
      source: "Al-Madinah mosque measurements: the most that a crowd took"
    ),
    SimulationConstant(
      "link.personRadius",
      \.bystanderRadius,
      unit: "m",
      source: "assumed: half a person's breadth with arms"
    ),
  ]
}
