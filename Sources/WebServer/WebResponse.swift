// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The answer to a request.
public enum WebResponse: Sendable, Equatable {
  /// Bytes of a media type, such as `text/html; charset=utf-8`.
  case content([UInt8], type: String)
  /// A stream of server-sent events: the last event of a topic, then those published from now on.
  case events(topic: String)
  /// There is nothing at the path.
  case notFound

  /// A page of HTML.
  public static func html(_ text: String) -> WebResponse {
    .content(Array(text.utf8), type: "text/html; charset=utf-8")
  }
}
