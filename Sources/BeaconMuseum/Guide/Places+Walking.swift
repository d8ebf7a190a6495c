// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// A step of a visitor who may be at any of the places, forward in time and back.

extension Places {
  /// The share of a belief that is spread everywhere each step: what was thought impossible may be so.
  static let doubt = 0.001

  /// One step: a part of each place's share, `walking`, goes to its neighbors.
  func walked(_ shares: [Double], _ walking: Double) -> [Double] {
    let everywhere = Self.doubt / Double(shares.count)
    var result = shares
    var given = shares
    for index in shares.indices {
      let degree = degrees[index]
      result[index] = (degree > 0 ? 1 - walking : 1) * shares[index] + everywhere
      // What goes to each neighbor.
      given[index] = degree > 0 ? walking * shares[index] / degree : 0
    }
    for (first, second) in steps {
      result[first] += given[second]
      result[second] += given[first]
    }
    return result
  }

  /// One step back: each place has what the places that a step leads to have, in parts as the step goes there.
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
