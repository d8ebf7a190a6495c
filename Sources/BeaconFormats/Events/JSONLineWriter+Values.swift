// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

extension JSONLineWriter {
  /// Writes the three keys of an identity into the object that is open.
  package mutating func identity(_ identity: BeaconIdentity) {
    key("uuid")
    uuid(identity.uuid)
    key("major")
    integer(identity.major)
    key("minor")
    integer(identity.minor)
  }

  /// Writes an object with the reasons that occurred, in their order, each with its count.
  package mutating func tally<Reason>(_ tally: Tally<Reason>) {
    beginObject()
    for (reason, count) in tally.occurred {
      key(reason.name)
      integer(count)
    }
    endObject()
  }
}
