// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import SystemKit

/// A browser's request.
public struct WebRequest: Sendable, Equatable {
  /// The purpose of a request.
  public enum Method: Sendable, Equatable {
    /// Reading: GET or HEAD.
    case get
    /// Changing something. It comes from a page of this server, and only if the server accepts content.
    case post
  }

  /// The path, decoded, with a slash at its start.
  public var path: String
  /// The query's values by their keys, decoded; the last one of a key that is given twice.
  public var query: [String: String]
  /// The languages that the reader prefers, best first, such as `de` and `en`; at most eight.
  public var languages: [String]
  /// Its purpose.
  public var method: Method
  /// The media type of the content, without its parameters, in small letters; empty without one.
  public var contentType: String
  /// The content of a POST.
  public var content: [UInt8]
  /// The peer that sends it.
  public var peer: SocketPeer

  /// Creates a request.
  public init(
    path: String,
    query: [String: String] = [:],
    languages: [String] = [],
    method: Method = .get,
    contentType: String = "",
    content: [UInt8] = [],
    peer: SocketPeer = .anyAccount
  ) {
    self.path = path
    self.query = query
    self.languages = languages
    self.method = method
    self.contentType = contentType
    self.content = content
    self.peer = peer
  }
}

extension WebRequest {
  /// Reads an `Accept-Language` field (RFC 9110, 12.5.4), best first; malformed parts are left out.
  static func languages(of field: String) -> [String] {
    var found: [(name: String, quality: Double)] = []
    for part in field.prefix(512).split(separator: ",").prefix(16) {
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let name = pieces.first, (1...35).contains(name.utf8.count),
        name.utf8.allSatisfy({ isWord($0) || $0 == UInt8(ascii: "-") })
      else { continue }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }
      let quality = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
      guard quality > 0, quality <= 1 else { continue }
      found.append((name.lowercased(), quality))
    }
    let ordered = found.enumerated().sorted {
      ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset)
    }
    return ordered.prefix(8).map(\.element.name)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
