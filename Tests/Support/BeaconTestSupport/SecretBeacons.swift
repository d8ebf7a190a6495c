// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Beacons whose majors, minor and signal strength no time, count or code of an output contains by chance, so that any
/// trace of them in a text is a leak.
public enum SecretBeacons {
  public static let majors: [UInt16] = [57_913, 57_914, 57_915]
  public static let minor: UInt16 = 48_859
  public static let rssi: Int8 = -87

  /// The numbers as outputs spell them, in decimal and in hexadecimal.
  private static let secrets = Set(
    (majors + [minor]).flatMap { number -> [[UInt8]] in
      let hex = String(number, radix: 16)
      return ["\(number)", hex, hex.uppercased()].map { Array($0.utf8) }
    }
  )
  /// The signal strength without its sign.
  private static let strength = Array("87".utf8)

  public static func beacon(_ index: Int) -> BeaconIdentity {
    BeaconIdentity(uuid: TestScan.museum, major: majors[index % majors.count], minor: minor)
  }

  /// Returns the traces in a text, by its words, since the digits of a time may hold any number.
  public static func traces(in text: String) -> [String] {
    var traces: [String] = []
    var word: [UInt8] = []
    var isNegative = false
    var last: UInt8 = 0
    for byte in Array(text.utf8) + [0] {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
        if word.isEmpty { isNegative = last == UInt8(ascii: "-") }
        word.append(byte)
      default:
        // A number is spelled with four or five characters; a hash of every word is most of a proof's time.
        let isSecret = (4...5).contains(word.count) && secrets.contains(word)
        if isSecret || (isNegative && word == strength) {
          traces.append(String(decoding: word, as: UTF8.self))
        }
        word.removeAll(keepingCapacity: true)
      }
      last = byte
    }
    return traces
  }
}
