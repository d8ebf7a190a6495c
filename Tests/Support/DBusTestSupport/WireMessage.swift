// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A D-Bus message as bytes, valid or not.
package struct WireMessage {
  package enum Kind: UInt8 {
    case call = 1
    case answer = 2
    case failure = 3
    case signal = 4
  }

  package var kind = Kind.signal
  package var serial: UInt32 = 1
  package var path: String?
  package var interface: String?
  package var member: String?
  package var error: String?
  package var answering: UInt32?
  package var destination: String?
  package var sender: String?
  package var signature = ""
  package var body: [UInt8] = []

  package init(_ kind: Kind) {
    self.kind = kind
  }

  package func encoded() -> [UInt8] {
    var writer = WireWriter()
    writer.raw([UInt8(ascii: "l"), kind.rawValue, 0, 1])
    writer.integer(UInt32(body.count))
    writer.integer(serial)
    writer.array(alignment: 8) { fields in
      let texts: [(UInt8, String, String?)] = [
        (1, "o", path), (2, "s", interface), (3, "s", member), (4, "s", error),
        (6, "s", destination),
        (7, "s", sender),
      ]
      for (code, type, text) in texts {
        guard let text else { continue }
        Self.field(code, type, &fields) { $0.text(text) }
      }
      if let answering { Self.field(5, "u", &fields) { $0.integer(answering) } }
      if !signature.isEmpty {
        fields.align(to: 8)
        fields.raw([8])
        fields.signature("g")
        fields.signature(signature)
      }
    }
    writer.align(to: 8)
    writer.raw(body)
    return writer.bytes
  }

  private static func field(
    _ code: UInt8,
    _ type: String,
    _ fields: inout WireWriter,
    _ value: (inout WireWriter) -> Void
  ) {
    fields.align(to: 8)
    fields.raw([code])
    fields.variant(type, value)
  }
}
