// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The shadowing of one beacon's signal at every position of a floor, on a grid.
///
/// It is a Gaussian field whose correlation falls with distance as ρ∞ + (1 − ρ∞) e^(−Δx/dc) e^(−Δy/dc). A first-order
/// recursion along both axes computes it quickly, and it is the same for every visitor. Its standard deviation is the
/// same everywhere, also between grid points.
struct BeaconField: Sendable {
  /// The distance between grid points in meters: a fraction of the distance over which shadowing changes.
  private static let spacing = 0.5
  /// The maximum number of grid points along one axis, and of all beacons together, in 64 MB; a larger floor gets a coarser
  /// grid.
  private static let (most, mostOfAll) = (800, 16_000_000)

  private let origin: Plan.Point
  private let spacing: Double
  private let columns: Int
  private let rows: Int
  private let shadows: [Float]
  /// The part of shadowing common to all positions of the floor, in dB.
  private let common: Double
  /// The correlation between a grid point's value and its neighbor's.
  private let kept: Double

  /// Creates the field of a beacon on the beacon's own floor.
  init(
    of exhibit: SimulatedSite.Exhibit,
    in site: SimulatedSite,
    _ model: LinkModel,
    random: inout SeededRandom
  ) {
    let corners = site.rooms.filter { $0.level == exhibit.level }.flatMap(\.outline)
    let xs = corners.map(\.x)
    let ys = corners.map(\.y)
    let margin = 1.0
    let low = Plan.Point((xs.min() ?? 0) - margin, (ys.min() ?? 0) - margin)
    let width = max(1, (xs.max() ?? 0) + margin - low.x)
    let height = max(1, (ys.max() ?? 0) + margin - low.y)
    let share = Double(Self.mostOfAll / max(1, site.exhibits.count)).squareRoot()
    let spacing = max(Self.spacing, max(width, height) / min(Double(Self.most), share))
    origin = low
    self.spacing = spacing
    columns = Int(width / spacing) + 2
    rows = Int(height / spacing) + 2
    common = model.shadowDeviation * model.shadowFloor.squareRoot() * random.normal()
    kept = DeterministicMath.exp(-spacing / max(model.shadowDistance, 0.01))
    let own = model.shadowDeviation * (1 - model.shadowFloor).squareRoot()
    shadows = Self.field(columns: columns, rows: rows, kept: kept, &random).map { Float(own * $0) }
  }

  /// Returns a field with a standard deviation of 1.
  private static func field(
    columns: Int,
    rows: Int,
    kept: Double,
    _ random: inout SeededRandom
  ) -> [Double] {
    let new = (1 - kept * kept).squareRoot()
    var field = [Double](repeating: 0, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let index = row * columns + column
        let fresh = random.normal()
        field[index] = column == 0 ? fresh : kept * field[index - 1] + new * fresh
      }
    }
    for row in 1..<rows {
      for column in 0..<columns {
        let index = row * columns + column
        field[index] = kept * field[index - columns] + new * field[index]
      }
    }
    return field
  }

  /// Returns the shadowing at a position in dB, interpolated.
  func shadow(at place: Plan.Point) -> Double {
    let x = min(max((place.x - origin.x) / spacing, 0), Double(columns - 2))
    let y = min(max((place.y - origin.y) / spacing, 0), Double(rows - 2))
    let column = min(Int(x), columns - 2)
    let row = min(Int(y), rows - 2)
    let across = x - Double(column)
    let down = y - Double(row)
    let index = row * columns + column
    let upper = Double(shadows[index]) * (1 - across) + Double(shadows[index + 1]) * across
    let lower =
      Double(shadows[index + columns]) * (1 - across)
      + Double(shadows[index + columns + 1]) * across
    let own = upper * (1 - down) + lower * down
    return common + own / (variance(at: across) * variance(at: down)).squareRoot()
  }

  /// Returns the variance, relative to that of a grid point, at a share of the way to the next one: interpolation
  /// reduces it.
  private func variance(at share: Double) -> Double {
    1 - 2 * share * (1 - share) * (1 - kept)
  }
}
