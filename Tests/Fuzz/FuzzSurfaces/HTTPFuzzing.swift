// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import WebServer

/// Requests from any bytes: they are the same requests, and the same refusal, in whatever pieces the bytes arrive.
enum HTTPFuzzing {
  private struct Outcome: Equatable {
    var heads: [RequestHead] = []
    var refusal: Refusal?
  }

  static func consume(_ bytes: [UInt8]) {
    let whole = outcome(of: bytes, inPiecesOf: WebLimits.headBytes)
    for head in whole.heads {
      precondition(head.path.hasPrefix("/") && head.query.count <= WebLimits.arguments)
      let texts = [head.path] + head.query.flatMap { [$0, $1] }
      precondition(texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
      precondition(head.host?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ?? true)
    }
    for head in whole.heads {
      precondition(head.content.isEmpty || head.content.count == head.contentLength)
      precondition(head.content.count <= largestContent)
    }
    if let refusal = whole.refusal { precondition((400...505).contains(refusal.status)) }
    precondition(outcome(of: bytes, inPiecesOf: 7) == whole, "other pieces, other requests")
  }

  /// So little that a short input can have content, and too much of it.
  private static let largestContent = 24

  private static func outcome(of bytes: [UInt8], inPiecesOf size: Int) -> Outcome {
    var outcome = Outcome()
    var reader = RequestReader(largestContent: largestContent)
    var rest = bytes[...]
    do throws(Refusal) {
      while !rest.isEmpty {
        // Without room, a request is complete or refused.
        precondition(reader.room > 0)
        let piece = rest.prefix(min(size, reader.room))
        rest = rest.dropFirst(piece.count)
        reader.append(piece)
        while let head = try reader.next() { outcome.heads.append(head) }
      }
    } catch {
      outcome.refusal = error
    }
    return outcome
  }
}
