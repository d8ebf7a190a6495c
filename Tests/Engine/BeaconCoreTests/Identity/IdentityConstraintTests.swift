// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@Suite struct IdentityConstraintTests {
  static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  @Test(arguments: ["\(uuid)", "\(uuid)/1", "\(uuid)/0/65535"])
  func `what is written is read back`(_ text: String) throws {
    #expect(try IdentityConstraint(parsing: text).description == text)
  }

  @Test func `case and dashes do not matter`() throws {
    let plain = Self.uuid.replacing("-", with: "").lowercased()
    #expect(try IdentityConstraint(parsing: plain).description == Self.uuid)
  }

  @Test(arguments: [
    "\(uuid)-1-2", "iBeacon:\(uuid.lowercased())-1-2", "\(uuid)_1_2", "{\(uuid)}/1/2",
    "\(uuid.replacing("-", with: ""))-1-2", "\(uuid)/0x1/0x0002", "IBEACON:{\(uuid)}-0X0001-2",
  ])
  func `the forms of other programs are read if they are unambiguous`(_ text: String) throws {
    #expect(try IdentityConstraint(parsing: text).description == "\(Self.uuid)/1/2")
  }

  @Test(arguments: [
    (
      "\(uuid)/1/000c",
      "minor '000c' is not a whole number from 0 to 65535; write a hexadecimal one as 0x000c"
    ),
    (
      "\(uuid) 1 2",
      "'\(uuid) 1 2' has more after its UUID; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"
    ),
    ("\(uuid)-1/2", "major '1/2' is not a whole number from 0 to 65535"),
    ("{\(uuid)", "'{\(uuid)' is not a UUID; write 32 hexadecimal digits as 8-4-4-4-12"),
    ("\(uuid)0", "'\(uuid)0' is not a UUID; write 32 hexadecimal digits as 8-4-4-4-12"),
    ("\(uuid)/0x", "major '0x' is not a whole number from 0 to 65535"),
    ("\(uuid)/0x10000", "major '0x10000' is not a whole number from 0 to 65535"),
  ])
  func `an ambiguous text names our form`(_ text: String, _ words: String) {
    let error = #expect(throws: IdentitySyntaxError.self) { try IdentityConstraint(parsing: text) }
    #expect(error?.description == words)
  }

  /// Row I2.
  @Test(arguments: [
    ("", IdentitySyntaxError.notAUUID("")),
    ("F7826DA6", .notAUUID("F7826DA6")),
    ("\(uuid)/", .notANumber(part: "major", found: "")),
    ("\(uuid)/65536", .notANumber(part: "major", found: "65536")),
    ("\(uuid)/1/-1", .notANumber(part: "minor", found: "-1")),
    ("\(uuid)/+1", .notANumber(part: "major", found: "+1")),
    ("\(uuid)/1/2/3", .tooManyParts),
  ])
  func `a fault names its part`(_ text: String, _ error: IdentitySyntaxError) {
    #expect(throws: error) { try IdentityConstraint(parsing: text) }
  }

  /// Rows I1 and I3.
  @Test func `a missing field is a wildcard and zero is a value`() throws {
    let identity = BeaconIdentity(uuid: 1, major: 0, minor: 65535)
    #expect(IdentityConstraint.uuid(1).isSatisfied(by: identity))
    #expect(IdentityConstraint.major(1, 0).isSatisfied(by: identity))
    #expect(!IdentityConstraint.major(1, 1).isSatisfied(by: identity))
    #expect(IdentityConstraint.minor(identity).isSatisfied(by: identity))
    #expect(!IdentityConstraint.uuid(2).isSatisfied(by: identity))
  }
}
