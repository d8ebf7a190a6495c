// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The image and sound files that a plan may name: files in its own folder, of a few types.
package enum PlanMedia {
  /// The media types of images by the ends of their names.
  package static let images = [
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp",
  ]
  /// The media types of sounds by the ends of their names.
  package static let sounds = [
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "opus": "audio/ogg", "m4a": "audio/mp4",
    "wav": "audio/wav",
  ]

  /// Returns the media type of a file by its name; `nil` for another type.
  package static func type(of name: String, among types: [String: String]) -> String? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return types[name[name.index(after: dot)...].lowercased()]
  }

  /// Returns whether a text is a name without a folder, so that it cannot lead out of the plan's folder.
  package static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && name.first != "."
      && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 }
  }
}
