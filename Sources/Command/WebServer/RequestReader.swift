// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The first line and the fields of a request (RFC 9112), as far as this server needs them.
package struct RequestHead: Sendable, Equatable {
  /// The method, such as `GET`.
  package var method: String
  /// The path, decoded.
  package var path: String
  /// The arguments of the query, decoded; of several with one name the last.
  package var query: [String: String]
  /// The host that was asked for, with its port, in small letters; `nil` if an old client did not send it.
  package var host: String?
  /// The field `Accept-Language`, if any.
  package var languages: String
  /// Whether the reader wants to use the connection again.
  package var keepsAlive: Bool
  /// Whether content belongs to it.
  package var hasContent: Bool
  /// How many bytes of content belong to it; `nil` if it does not contain a whole number, such as for content in pieces.
  package var contentLength: Int? = 0
  /// The content, if it is one that this server reads.
  package var content: [UInt8] = []
  /// The media type of the content, without its parameters, in small letters; empty if it is not given.
  package var contentType = ""
  /// The origin of the page that makes the request, in small letters; `nil` if the browser does not send it.
  package var origin: String?

  /// Whether only the answer's fields are wanted.
  package var isHead: Bool { method == "HEAD" }
}

/// Why a request cannot be answered; its connection ends with the answer.
package struct Refusal: Error, Equatable {
  package let status: Int
  package let text: String

  static let malformed = Refusal(status: 400, text: "this is no valid request\n")
  static let late = Refusal(status: 408, text: "the request took too long\n")
  static let content = Refusal(status: 413, text: "a request may have no content here\n")
  static let longContent = Refusal(status: 413, text: "the content is too long\n")
  static let longTarget = Refusal(status: 414, text: "the address is too long\n")
  static let longFields = Refusal(status: 431, text: "the request has too many fields\n")
  static let readers = Refusal(status: 503, text: "too many readers; come back later\n")
  static let version = Refusal(status: 505, text: "only HTTP/1.1 and HTTP/1.0 are possible here\n")
}

/// Finds requests in the bytes of a connection.
///
/// It is strict: lines end with CR and LF, a field is one line, and no control character is allowed, so that no program between
/// the reader and this server can see other requests in the same bytes.
package struct RequestReader {
  private var bytes: [UInt8] = []
  /// How many bytes were searched for the end of the head.
  private var searched = 0
  /// Whether the empty line in front of the next request was removed.
  private var hasSkipped = false
  /// The request whose content is being received.
  private var begun: RequestHead?
  private let largestContent: Int

  /// Creates a reader that has received nothing.
  ///
  /// - Parameter largestContent: The most bytes of a request's content that are read; a request with more is returned
  ///   without its content.
  package init(largestContent: Int = 0) {
    self.largestContent = largestContent
  }

  /// Whether no part of a request waits.
  package var isEmpty: Bool { bytes.isEmpty && begun == nil }
  /// How many bytes may be added.
  package var room: Int {
    max(0, (begun?.contentLength ?? WebLimits.headBytes) - bytes.count)
  }

  /// Adds received bytes, at most ``room``.
  package mutating func append(_ received: ArraySlice<UInt8>) {
    bytes += received
  }

  /// Returns the next request, and removes it; `nil` if it is not complete.
  package mutating func next() throws(Refusal) -> RequestHead? {
    if begun == nil {
      guard let head = try nextHead() else { return nil }
      guard head.method == "POST", let length = head.contentLength,
        length > 0, length <= largestContent
      else { return head }
      begun = head
    }
    guard var head = begun, let length = head.contentLength, bytes.count >= length else {
      return nil
    }
    head.content = Array(bytes.prefix(length))
    bytes.removeFirst(length)
    begun = nil
    return head
  }

  private mutating func nextHead() throws(Refusal) -> RequestHead? {
    skipEmptyLine()
    guard let end = try endOfHead() else {
      if room > 0 { return nil }
      throw bytes.contains(UInt8(ascii: "\n")) ? .longFields : .longTarget
    }
    let head = try RequestHead(bytes[..<end])
    bytes.removeSubrange(..<(end + 2))
    searched = 0
    hasSkipped = false
    return head
  }

  /// Removes an empty line in front of a request, which old clients send; only one, so that lines do not prolong the time.
  private mutating func skipEmptyLine() {
    guard !hasSkipped, searched <= 1, bytes.starts(with: [0x0D, 0x0A]) else { return }
    bytes.removeFirst(2)
    searched = 0
    hasSkipped = true
  }

  /// Returns the position after the last line; `nil` if it has not been received.
  private mutating func endOfHead() throws(Refusal) -> Int? {
    while searched < bytes.count {
      let byte = bytes[searched]
      switch byte {
      case 0x0A:
        guard searched > 0, bytes[searched - 1] == 0x0D else { throw .malformed }
        if searched >= 3, bytes[searched - 2] == 0x0A {
          searched += 1
          return searched - 2
        }
      case 0x09, 0x0D: break
      case 0..<0x20, 0x7F: throw .malformed
      default: break
      }
      if byte != 0x0A, searched > 0, bytes[searched - 1] == 0x0D { throw .malformed }
      searched += 1
    }
    return nil
  }
}

// MARK: - Reading a head

extension RequestHead {
  /// Reads lines that each end with CR and LF.
  fileprivate init(_ bytes: ArraySlice<UInt8>) throws(Refusal) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: true).map { $0.dropLast() }
    let first = lines.removeFirst()
    let parts = first.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count <= 32, !parts[0].isEmpty,
      parts[0].allSatisfy(Self.isTokenByte)
    else { throw .malformed }
    guard lines.count <= WebLimits.fields else { throw .longFields }
    let minor = try Self.minorVersion(parts[2])
    let fields = try Fields(lines)
    let target = try Target(parts[1])
    guard fields.host != nil || minor == 0 else { throw .malformed }
    method = String(decoding: parts[0], as: UTF8.self)
    (path, query) = (target.path, target.query)
    // A whole address in the first line counts more than the field (RFC 9112, 3.2.2).
    host = target.host ?? fields.host
    languages = fields.languages
    contentLength = fields.isInPieces ? nil : fields.length ?? 0
    hasContent = contentLength != 0
    contentType = fields.contentType
    origin = fields.origin
    keepsAlive = !fields.closes && (minor > 0 || fields.keepsAlive)
  }

  /// Returns x of `HTTP/1.x`.
  private static func minorVersion(_ text: ArraySlice<UInt8>) throws(Refusal) -> UInt8 {
    guard text.count == 8, text.starts(with: "HTTP/".utf8) else { throw .malformed }
    let (major, point, minor) = (
      text[text.startIndex + 5], text[text.startIndex + 6], text[text.startIndex + 7]
    )
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard digits.contains(major), point == UInt8(ascii: "."), digits.contains(minor) else {
      throw .malformed
    }
    guard major == UInt8(ascii: "1") else { throw .version }
    return minor - UInt8(ascii: "0")
  }

  fileprivate static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// The fields of a request that matter here.
private struct Fields {
  var host: String?
  var languages = ""
  /// The length of the content; `nil` without the field.
  var length: Int?
  /// Whether the content comes in pieces, each with its length.
  var isInPieces = false
  var contentType = ""
  var origin: String?
  var closes = false
  var keepsAlive = false

  init(_ lines: [ArraySlice<UInt8>]) throws(Refusal) {
    for line in lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy(RequestHead.isTokenByte)
      else { throw .malformed }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      try add(name, Self.trimmed(line[(colon + 1)...]))
    }
  }

  private mutating func add(_ name: String, _ value: ArraySlice<UInt8>) throws(Refusal) {
    switch name {
    case "host":
      // Two hosts, or an invalid one, are an attempt to be understood in two ways.
      guard host == nil, value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
      host = String(decoding: value, as: UTF8.self).lowercased()
    case "accept-language": languages = String(decoding: value, as: UTF8.self)
    case "content-length":
      // Two lengths are an attempt to be understood in two ways as well.
      guard length == nil, !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw .malformed
      }
      length = Int(String(decoding: value, as: UTF8.self)) ?? .max
    case "transfer-encoding": isInPieces = true
    case "content-type":
      let type = String(decoding: value, as: UTF8.self).lowercased()
      contentType = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
    case "origin":
      guard origin == nil, value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
      origin = String(decoding: value, as: UTF8.self).lowercased()
    case "connection":
      let options = String(decoding: value, as: UTF8.self).lowercased().split(separator: ",")
        .map { $0.filter { $0 != " " && $0 != "\t" } }
      closes = closes || options.contains("close")
      keepsAlive = keepsAlive || options.contains("keep-alive")
    default: break
    }
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let start = value.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }
    return end.map { start[...$0] } ?? start.prefix(0)
  }
}

/// The requested path and query, also in a whole address.
private struct Target {
  var path = ""
  var query: [String: String] = [:]
  var host: String?

  init(_ bytes: ArraySlice<UInt8>) throws(Refusal) {
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
    var rest = bytes
    if String(decoding: bytes.prefix(7), as: UTF8.self).lowercased() == "http://" {
      rest = bytes.dropFirst(7)
      let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
      guard !authority.isEmpty else { throw .malformed }
      host = String(decoding: authority, as: UTF8.self).lowercased()
      rest = rest.dropFirst(authority.count)
      if rest.first != UInt8(ascii: "/") { rest = [UInt8(ascii: "/")] + rest }
    }
    guard rest.first == UInt8(ascii: "/") else { throw .malformed }
    let mark = rest.firstIndex(of: UInt8(ascii: "?"))
    path = try Self.decoded(rest[..<(mark ?? rest.endIndex)])
    if let mark { query = try Self.arguments(rest[(mark + 1)...]) }
  }

  private static func arguments(_ text: ArraySlice<UInt8>) throws(Refusal) -> [String: String] {
    var found: [String: String] = [:]
    let pairs = text.split(separator: UInt8(ascii: "&"))
    guard pairs.count <= WebLimits.arguments else { throw .longTarget }
    for pair in pairs {
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      let name = try decoded(pair[..<(equals ?? pair.endIndex)], plusIsBlank: true)
      let value = equals.map { pair[($0 + 1)...] } ?? []
      found[name] = try decoded(value, plusIsBlank: true)
    }
    return found
  }

  /// Returns text with its `%41` decoded; it must be UTF-8 without control characters.
  private static func decoded(
    _ text: ArraySlice<UInt8>,
    plusIsBlank: Bool = false
  ) throws(Refusal) -> String {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexadecimal),
          let low = rest.popFirst().flatMap(hexadecimal)
        else { throw .malformed }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let decoded = String(validating: bytes, as: UTF8.self)
    else { throw .malformed }
    return decoded
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
