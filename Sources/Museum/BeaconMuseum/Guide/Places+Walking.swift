// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// One step of a visitor over the places, forward and backward in time.

extension Places {
  /// The share of a belief that is spread over all places in each step, because any belief may be wrong.
  static let doubt = 0.001

  /// Computes one step forward: the part `walking` of each place's share moves to its neighbors.
  func walked(_ shares: [Double], _ walking: Double) -> [Double] {
    let everywhere = Self.doubt / Double(shares.count)
    var result = shares
    var given = shares
    for index in shares.indices {
      let degree = degrees[index]
      result[index] = (degree > 0 ? 1 - walking : 1) * shares[index] + everywhere
      // The part for each neighbor.
      given[index] = degree > 0 ? walking * shares[index] / degree : 0
    }
    for (first, second) in steps {
      result[first] += given[second]
      result[second] += given[first]
    }
    return result
  }

  /// Computes one step backward: each place gets the values of the places that a step leads to, weighted by the step.
  func walkedBack(_ values: [Double], _ walking: Double) -> [Double] {
    let everywhere = Self.doubt * values.reduce(0, +) / Double(max(1, values.count))
    var neighbors = Array(repeating: 0.0, count: values.count)
    for (first, second) in steps {
      neighbors[first] += values[second]
      neighbors[second] += values[first]
    }
    return values.indices.map { index in
      let degree = degrees[index]
      guard degree > 0 else { return values[index] + everywhere }
      return (1 - walking) * values[index] + walking * neighbors[index] / degree + everywhere
    }
  }
}
