// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// What a museum does to one beacon's signal at every place of a floor: shadowing, on a grid.
///
/// It is a Gaussian field whose correlation falls with distance as ρ∞ + (1 − ρ∞) e^(−Δx/dc) e^(−Δy/dc): a first-order
/// recursion along both axes, so that it is quick to make and the same for every visitor. Its deviation is the same
/// everywhere, between grid points too.
struct BeaconField: Sendable {
  /// Meters between grid points: a fraction of the distance at which shadowing changes.
  private static let spacing = 0.5
  /// The most grid points along one axis; a larger floor is drawn coarser.
  private static let most = 800

  private let origin: Plan.Point
  private let spacing: Double
  private let columns: Int
  private let rows: Int
  private let shadows: [Float]
  /// What all places of the floor have in common, in dB.
  private let common: Double
  /// How much of a grid point's value its neighbor has.
  private let kept: Double

  /// Makes the field of a beacon on the beacon's own floor.
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
    let spacing = max(Self.spacing, max(width, height) / Double(Self.most))
    origin = low
    self.spacing = spacing
    columns = Int(width / spacing) + 2
    rows = Int(height / spacing) + 2
    common = model.shadowDeviation * model.shadowFloor.squareRoot() * random.normal()
    kept = DeterministicMath.exp(-spacing / max(model.shadowDistance, 0.01))
    let own = model.shadowDeviation * (1 - model.shadowFloor).squareRoot()
    shadows = Self.field(columns: columns, rows: rows, kept: kept, &random).map { Float(own * $0) }
  }

  /// A field of deviation 1.
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

  /// Shadowing at a place in dB, interpolated.
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

  /// The variance that is left of 1 at a share of the way from one grid point to the next: a mean varies less than its parts.
  private func variance(at share: Double) -> Double {
    1 - 2 * share * (1 - share) * (1 - kept)
  }
}
