// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a server answers.
public enum WebResponse: Sendable, Equatable {
  /// Bytes of a media type, such as `text/html; charset=utf-8`.
  case content([UInt8], type: String)
  /// A stream of server-sent events: what is published to a topic from now on, beginning with the last that was.
  case events(topic: String)
  /// Nothing is there.
  case notFound

  /// A page of HTML.
  public static func html(_ text: String) -> WebResponse {
    .content(Array(text.utf8), type: "text/html; charset=utf-8")
  }
}
