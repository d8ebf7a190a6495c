// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconFormats

extension Plan {
  /// Reads a plan file: JSON5 in UTF-8.
  ///
  /// - Throws: `JSON5Faults` with every fault of the file, each with its position and what to write instead.
  public init(reading bytes: [UInt8]) throws(JSON5Faults) {
    var reader = PlanReader()
    let value = try JSON5.parse(bytes)
    let plan = reader.read(JSON5Reader(value, name: "a plan", faults: reader.faults))
    try reader.faults.throwIfAny()
    // A missing plan always has a fault: something required is missing.
    guard let plan else { throw JSON5Faults([JSON5Fault("no plan", at: value.position)]) }
    self = plan
  }
}
