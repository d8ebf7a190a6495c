// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Fast fading between one beacon and one receiver, separately on each of the three advertising channels.
///
/// The gain has a steady part and a scattered part (Rician fading). The scattered part is a complex Gaussian that
/// becomes uncorrelated over a quarter of a wavelength of movement. The channels are more than 20 MHz apart,
/// which is far enough to be uncorrelated indoors.
struct FadingLink {
  private var real = (0.0, 0.0, 0.0)
  private var imaginary = (0.0, 0.0, 0.0)
  /// How far the receiver had moved when each channel was last evaluated, in meters; below 0 for never.
  private var moved = (-1.0, -1.0, -1.0)

  /// Moves the receiver and evaluates a channel.
  ///
  /// - Parameters:
  ///   - channel: 0, 1 or 2 for 37, 38 and 39.
  ///   - travelled: The distance that the receiver has moved since the visit started, in meters.
  ///   - factor: The power of the steady part divided by that of the scattered part, not in dB.
  ///   - distance: The distance in meters over which the scattered part becomes uncorrelated.
  ///   - random: The receiver's random stream.
  /// - Returns: The gain in dB; the mean power gain is 0 dB.
  mutating func gain(
    channel: Int,
    travelled: Double,
    factor: Double,
    distance: Double,
    random: inout SeededRandom
  ) -> Double {
    switch channel {
    case 0: Self.step(&real.0, &imaginary.0, &moved.0, travelled, distance, &random)
    case 1: Self.step(&real.1, &imaginary.1, &moved.1, travelled, distance, &random)
    default: Self.step(&real.2, &imaginary.2, &moved.2, travelled, distance, &random)
    }
    let (x, y) =
      channel == 0
      ? (real.0, imaginary.0) : channel == 1 ? (real.1, imaginary.1) : (real.2, imaginary.2)
    let steady = (factor / (factor + 1)).squareRoot()
    let scattered = (0.5 / (factor + 1)).squareRoot()
    let inPhase = steady + scattered * x
    let across = scattered * y
    // A fade to zero is below any sensitivity; the limit of −60 dB keeps the logarithm finite.
    return 10 * DeterministicMath.log10(max(inPhase * inPhase + across * across, 1e-6))
  }

  private static func step(
    _ x: inout Double,
    _ y: inout Double,
    _ moved: inout Double,
    _ travelled: Double,
    _ distance: Double,
    _ random: inout SeededRandom
  ) {
    let way = travelled - moved
    let isNew = moved < 0 || way > 6 * distance
    let kept = isNew ? 0 : DeterministicMath.exp(-way / distance)
    let new = (1 - kept * kept).squareRoot()
    x = kept * x + new * random.normal()
    y = kept * y + new * random.normal()
    moved = travelled
  }
}
