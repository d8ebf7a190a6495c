// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// The answer to a request.
struct RequestAnswer {
  /// The status line and the fields.
  var head: [UInt8]
  /// The content; empty for the answer to `HEAD`.
  var content: [UInt8] = []
  /// The file whose content follows; `nil` for other content.
  var file: ServedFile?
  /// The topic of the stream that follows; `nil` if none does.
  var topic: String?
  /// Whether the connection ends with the answer.
  var closes: Bool
}

/// Decides the answer.
struct RequestService: Sendable {
  private let answer: @Sendable (WebRequest) -> WebResponse
  /// Whether making an answer takes time; `nil` if every answer is fast.
  private let isSlow: (@Sendable (WebRequest) -> Bool)?
  /// The host names that a request may have; `nil` for any.
  private let hosts: [String]?
  /// The most bytes of content of a POST; 0 where only reading is possible.
  let largestContent: Int

  init(
    answer: @escaping @Sendable (WebRequest) -> WebResponse,
    isSlow: (@Sendable (WebRequest) -> Bool)? = nil,
    hosts: [String]?,
    largestContent: Int = 0
  ) {
    self.answer = answer
    self.isSlow = isSlow
    self.hosts = hosts
    self.largestContent = largestContent
  }

  /// The answer to a request, and whether it refuses it.
  func answer(
    to head: RequestHead,
    from peer: SocketPeer
  ) -> (answer: RequestAnswer, isRefused: Bool) {
    if let refusal = refusal(of: head) { return (Self.answer(refusal, to: head), true) }
    switch answer(request(head, from: peer)) {
    case .notFound:
      return (Self.answer(Refusal(status: 404, text: "nothing is here\n"), to: head), true)
    case .refused(let reason, let text):
      return (Self.answer(Refusal(status: reason.rawValue, text: text + "\n"), to: head), true)
    case .content(let bytes, let type):
      return (Self.content(bytes, type, 200, to: head), false)
    case .file(let path, let type):
      guard let file = ServedFile(path) else {
        return (Self.answer(Refusal(status: 404, text: "nothing is here\n"), to: head), true)
      }
      var answer = Self.content([], type, 200, length: file.size, to: head)
      if !head.isHead { answer.file = file }
      return (answer, false)
    case .events(let topic):
      // The end of the connection is the end of the stream.
      let fields = AnswerHead.bytes(200, type: "text/event-stream", length: nil, closes: true)
      return (RequestAnswer(head: fields, topic: head.isHead ? nil : topic, closes: true), false)
    }
  }

  /// Whether an answer takes time.
  func isSlow(_ head: RequestHead) -> Bool {
    guard let isSlow, refusal(of: head) == nil else { return false }
    return isSlow(request(head, from: .anyAccount))
  }

  /// Whether any answer takes time.
  var hasSlow: Bool { isSlow != nil }

  private func request(_ head: RequestHead, from peer: SocketPeer) -> WebRequest {
    WebRequest(
      path: head.path,
      query: head.query,
      languages: WebRequest.languages(of: head.languages),
      method: head.method == "POST" ? .post : .get,
      contentType: head.contentType,
      content: head.content,
      peer: peer
    )
  }

  private func refusal(of head: RequestHead) -> Refusal? {
    let isPost = head.method == "POST" && largestContent > 0
    guard head.method == "GET" || head.isHead || isPost else {
      return Refusal(status: 405, text: "only reading is possible here\n")
    }
    if head.hasContent, head.content.isEmpty { return isPost ? .longContent : .content }
    if let hosts {
      guard let host = head.host, hosts.contains(host) else {
        return Refusal(status: 403, text: "ask for this machine as localhost\n")
      }
    }
    if isPost, !Self.isOwn(head) {
      return Refusal(status: 403, text: "only a page of this server may send something\n")
    }
    return nil
  }

  /// Whether a page of this server makes the request: a browser sends from which origin each POST comes, and no page can
  /// change that.
  private static func isOwn(_ head: RequestHead) -> Bool {
    guard let origin = head.origin, let host = head.host else { return false }
    // A proxy in front of this server may encrypt the connection.
    return ["http://\(host)", "https://\(host)"].contains(origin)
  }

  /// The answer to a reader without a stream left.
  static func noStream(_ head: RequestHead) -> RequestAnswer {
    answer(.readers, to: head)
  }

  /// The answer that refuses a request; `nil` for one that could not be read.
  static func answer(_ refusal: Refusal, to head: RequestHead? = nil) -> RequestAnswer {
    content(Array(refusal.text.utf8), "text/plain; charset=utf-8", refusal.status, to: head)
  }

  private static func content(
    _ bytes: [UInt8],
    _ type: String,
    _ status: Int,
    length: Int? = nil,
    to head: RequestHead?
  ) -> RequestAnswer {
    // What follows a request that was not read to its end cannot be distinguished from another request.
    let closes = head.map { !$0.keepsAlive || $0.hasContent && $0.content.isEmpty } ?? true
    return RequestAnswer(
      head: AnswerHead.bytes(status, type: type, length: length ?? bytes.count, closes: closes),
      content: head?.isHead == true ? [] : bytes,
      closes: closes
    )
  }
}

/// The status line and the fields of every answer.
enum AnswerHead {
  /// The fields that isolate a page: no content from elsewhere, no frame, no caching, no referrer, none of the
  /// reader's devices.
  private static let isolation = [
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';"
      + " img-src 'self' data:; media-src 'self'; connect-src 'self'; base-uri 'none';"
      + " form-action 'none';"
      + " frame-ancestors 'none'",
    "X-Frame-Options: DENY",
    "X-Content-Type-Options: nosniff",
    "Referrer-Policy: no-referrer",
    "Cross-Origin-Opener-Policy: same-origin",
    "Cross-Origin-Resource-Policy: same-origin",
    "Permissions-Policy: accelerometer=(), camera=(), display-capture=(), geolocation=(),"
      + " gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()",
    "Cache-Control: no-store",
  ]

  /// Returns the head of an answer.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - type: The media type of the content.
  ///   - length: The length of the content; `nil` for a stream.
  ///   - closes: Whether the connection ends with the answer.
  /// - Returns: The status line, the fields and the empty line.
  static func bytes(_ status: Int, type: String, length: Int?, closes: Bool) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(reason(status))", "Date: \(date(time(nil)))"]
    lines.append("Content-Type: \(type)")
    if let length { lines.append("Content-Length: \(length)") }
    if status == 405 { lines.append("Allow: GET, HEAD") }
    if status == 503 { lines.append("Retry-After: 10") }
    lines.append("Connection: \(closes ? "close" : "keep-alive")")
    return Array((lines + isolation).map { "\($0)\r\n" }.joined().utf8) + [0x0D, 0x0A]
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Error"
    }
  }

  /// Returns a time in the form of RFC 9110, 5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func date(_ seconds: Int) -> String {
    let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb",
    ]
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    let seconds = max(0, seconds)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // Years begin in March here, so that the leap day is the last one; an era has 400 years.
    let (era, day) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let date = "\(two(dayOfYear - (153 * month + 2) / 5 + 1)) \(months[month])"
    let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    return "\(names[days % 7]), \(date) \(era * 400 + year + (month > 9 ? 1 : 0)) \(clock) GMT"
  }
}
