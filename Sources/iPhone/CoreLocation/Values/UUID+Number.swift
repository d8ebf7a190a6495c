// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

extension UUID {
  /// Creates the UUID of a number whose most significant byte is the UUID's first.
  init(_ number: UInt128) {
    func octet(_ index: Int) -> UInt8 {
      UInt8(truncatingIfNeeded: number >> UInt128(120 - 8 * index))
    }
    self.init(
      uuid: (
        octet(0), octet(1), octet(2), octet(3), octet(4), octet(5), octet(6), octet(7),
        octet(8), octet(9), octet(10), octet(11), octet(12), octet(13), octet(14), octet(15)
      )
    )
  }

  /// The UUID as a number.
  var number: UInt128 {
    let octets = uuid
    let high = [
      octets.0, octets.1, octets.2, octets.3, octets.4, octets.5, octets.6, octets.7,
      octets.8, octets.9, octets.10, octets.11, octets.12, octets.13, octets.14, octets.15,
    ]
    return high.reduce(0) { $0 << 8 | UInt128($1) }
  }
}

extension IdentityConstraint {
  /// Creates a constraint from a program's values.
  ///
  /// A minor without a major is not possible.
  init(_ uuid: UUID, _ major: UInt16?, _ minor: UInt16?) {
    let number = uuid.number
    switch (major, minor) {
    case (.some(let major), .some(let minor)):
      self = .minor(BeaconIdentity(uuid: number, major: major, minor: minor))
    case (.some(let major), nil): self = .major(number, major)
    case (nil, _): self = .uuid(number)
    }
  }
}
