// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// Identity constraints from any text: they parse or are refused, and what parses is written and read back the same.
enum ConstraintFuzzing {
  static func consume(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    do {
      let constraint = try IdentityConstraint(parsing: text)
      let again = try IdentityConstraint(parsing: constraint.description)
      precondition(constraint == again, "\(text) is written as \(constraint), which is \(again)")
    } catch {
      precondition(!error.description.isEmpty)
    }
  }
}
