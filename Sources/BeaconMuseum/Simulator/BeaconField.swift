// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// What a museum does to one beacon's signal at every place of a floor: shadowing and walls, on a grid.
///
/// Shadowing is a Gaussian field whose correlation falls with distance as ρ∞ + (1 − ρ∞) e^(−Δx/dc) e^(−Δy/dc): a first-order
/// recursion along both axes, so that it is quick to make and the same for every visitor.
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
  private let wallCounts: [UInt8]

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
    shadows = Self.shadows(columns: columns, rows: rows, spacing: spacing, model, &random)
    var counts: [UInt8] = []
    counts.reserveCapacity(columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let place = Plan.Point(
          low.x + Double(column) * spacing,
          low.y + Double(row) * spacing
        )
        let walls = site.walls(from: exhibit.position, to: place, level: exhibit.level)
        counts.append(UInt8(clamping: walls))
      }
    }
    wallCounts = counts
  }

  private static func shadows(
    columns: Int,
    rows: Int,
    spacing: Double,
    _ model: LinkModel,
    _ random: inout SeededRandom
  ) -> [Float] {
    let kept = DeterministicMath.exp(-spacing / max(model.shadowDistance, 0.01))
    let new = (1 - kept * kept).squareRoot()
    let common = model.shadowFloor.squareRoot() * random.normal()
    let own = (1 - model.shadowFloor).squareRoot()
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
    return field.map { Float(model.shadowDeviation * (common + own * $0)) }
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
    return upper * (1 - down) + lower * down
  }

  /// The walls between the beacon and a place.
  func walls(to place: Plan.Point) -> Int {
    let column = Int(((place.x - origin.x) / spacing).rounded())
    let row = Int(((place.y - origin.y) / spacing).rounded())
    let index = min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)
    return Int(wallCounts[index])
  }
}
