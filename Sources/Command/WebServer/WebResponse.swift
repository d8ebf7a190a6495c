// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The answer to a request.
public enum WebResponse: Sendable, Equatable {
  /// Bytes of a media type, such as `text/html; charset=utf-8`.
  case content([UInt8], type: String)
  /// The content of a regular file, of a media type; it is read as the reader receives it.
  case file(String, type: String)
  /// A stream of server-sent events: the last event of a topic, then those published from now on.
  case events(topic: String)
  /// There is nothing at the path.
  case notFound
  /// A POST is refused; the text has the reason.
  case refused(WebRefusal, String)

  /// A page of HTML.
  public static func html(_ text: String) -> WebResponse {
    .content(Array(text.utf8), type: "text/html; charset=utf-8")
  }
}

/// Why a POST is refused.
public enum WebRefusal: Int, Sendable, Equatable {
  /// It cannot be understood.
  case malformed = 400
  /// The sender may not do this.
  case forbidden = 403
  /// It cannot be done in the present state.
  case conflict = 409
  /// It is of another type than wanted.
  case wrongType = 415
  /// It is understood, and wrong.
  case invalid = 422
  /// Too many were wrong; later it may be tried again.
  case tooMany = 429
}
