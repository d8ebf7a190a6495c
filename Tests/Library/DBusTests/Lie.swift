// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBusTestSupport

/// A message that a bus should not send.
struct Lie {
  enum Form: CaseIterable {
    /// A signal of a program that is not followed.
    case forgedSender
    /// A signal without any sender, which a bus never passes on.
    case noSender
    /// A change of owner of other types than it has.
    case ownerOfOtherTypes
    /// A change of owner from a program that is not the bus.
    case ownerByForger
    /// An answer to no call of ours.
    case strayAnswer
    /// An error to no call of ours.
    case strayError
    /// A call to an object of ours from an unknown program.
    case foreignCall
    /// Nested variants, as deep as the format allows.
    case deepVariants
    /// Many thousand empty arrays.
    case manyEmptyArrays
    /// A value of another type than expected.
    case otherTypes
    /// A message that ends early, after which the peer closes the connection.
    case truncated
    /// An array longer than its message.
    case arrayBeyondEnd
    /// A header with a length of gigabytes.
    case hugeLength
    /// Bytes that are not a message.
    case noise

    /// Whether handling it takes long, so that it is sent rarely.
    var isCostly: Bool { endsConnection || self == .manyEmptyArrays }

    /// Whether it breaks D-Bus's own rules, so that libdbus ends the connection.
    var endsConnection: Bool {
      switch self {
      case .truncated, .arrayBeyondEnd, .hugeLength, .noise: true
      default: false
      }
    }
  }

  static let owner = ":1.2"
  static let forger = ":1.66"

  let form: Form
  let bytes: [UInt8]

  /// Returns a random lie, sometimes one that takes long.
  init(_ random: inout SplitMix64) {
    let isCostly = Int.random(in: 0..<50, using: &random) == 0
    let forms = Form.allCases.filter { $0.isCostly == isCostly }
    self.init(forms.randomElement(using: &random) ?? .forgedSender, &random)
  }

  init(_ form: Form, _ random: inout SplitMix64) {
    self.form = form
    bytes = Self.bytes(form, &random)
  }

  private static func signal(from sender: String?, _ member: String = "PropertiesChanged")
    -> WireMessage
  {
    var message = WireMessage(.signal)
    message.path = "/org/bluez/hci0"
    message.interface = "org.freedesktop.DBus.Properties"
    message.member = member
    message.sender = sender
    return message
  }

  private static func ownerChange(from sender: String) -> WireMessage {
    var message = signal(from: sender, "NameOwnerChanged")
    message.path = "/org/freedesktop/DBus"
    message.interface = "org.freedesktop.DBus"
    return message
  }

  private static func bytes(_ form: Form, _ random: inout SplitMix64) -> [UInt8] {
    var message = signal(from: owner)
    var body = WireWriter()
    switch form {
    case .forgedSender: message.sender = forger
    case .noSender: message.sender = nil
    case .ownerOfOtherTypes:
      message = ownerChange(from: "org.freedesktop.DBus")
      message.signature = "u"
      body.integer(UInt32.random(in: 0...9, using: &random))
    case .ownerByForger:
      message = ownerChange(from: forger)
      message.signature = "sss"
      for text in ["org.bluez", owner, forger] { body.text(text) }
    case .strayAnswer, .strayError:
      message = WireMessage(form == .strayAnswer ? .answer : .failure)
      message.error = form == .strayError ? "a.b.C" : nil
      message.sender = owner
      message.answering = UInt32.random(in: 1000...9_000_000, using: &random)
    case .foreignCall:
      message.kind = .call
      message.sender = forger
    case .deepVariants:
      message.signature = "v"
      let depth = Int.random(in: 17...60, using: &random)
      for _ in 1..<depth { body.signature("v") }
      body.signature("y")
      body.raw([1])
    case .manyEmptyArrays:
      message.signature = "aas"
      let count = Int.random(in: 100_001...120_000, using: &random)
      body.array(alignment: 4) { $0.raw([UInt8](repeating: 0, count: 4 * count)) }
    case .otherTypes:
      let (signature, length) =
        [("y", 1), ("b", 4), ("n", 2), ("t", 8), ("d", 8), ("as", 4)]
        .randomElement(using: &random) ?? ("y", 1)
      message.signature = signature
      body.raw([UInt8](repeating: 0, count: length))
    case .truncated, .arrayBeyondEnd:
      message.signature = "as"
      if form == .arrayBeyondEnd {
        body.integer(UInt32.random(in: 64...1 << 27, using: &random))
      } else {
        body.array(alignment: 4) { $0.text("truncated") }
      }
    case .hugeLength, .noise:
      break
    }
    message.body = body.bytes
    return mangled(message.encoded(), form, &random)
  }

  private static func mangled(
    _ bytes: [UInt8],
    _ form: Form,
    _ random: inout SplitMix64
  ) -> [UInt8] {
    switch form {
    case .truncated:
      return Array(bytes.prefix(Int.random(in: 1..<bytes.count, using: &random)))
    case .hugeLength:
      var bytes = bytes
      for index in 4..<8 { bytes[index] = UInt8.random(in: 0x10...0xFF, using: &random) }
      return bytes
    case .noise:
      return (0..<Int.random(in: 16...200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    default:
      return bytes
    }
  }
}
