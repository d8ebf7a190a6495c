// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconMuseum
internal import SystemKit
internal import WebServer

/// The images and sounds of a plan, in the folder of its file: only those that the plan names.
package struct PlanFolder: Sendable {
  private let folder: String
  private let types: [String: String]

  package init(of plan: Plan, at path: String) {
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var types: [String: String] = [:]
    for exhibit in plan.exhibits {
      if let image = exhibit.image {
        types[image] = PlanMedia.type(of: image, among: PlanMedia.images)
      }
      for audio in exhibit.audio?.entries ?? [] {
        types[audio.text] = PlanMedia.type(of: audio.text, among: PlanMedia.sounds)
      }
    }
    self.types = types
  }

  /// The first bytes of files by their media types.
  private static let beginnings: [String: [[UInt8]]] = [
    "image/png": [[0x89] + Array("PNG".utf8)],
    "image/jpeg": [[0xFF, 0xD8, 0xFF]], "image/webp": [Array("RIFF".utf8)],
    "audio/wav": [Array("RIFF".utf8)], "audio/ogg": [Array("OggS".utf8)],
    "audio/mpeg": [Array("ID3".utf8), [0xFF]], "audio/mp4": [[0, 0]],
  ]

  /// Returns the fault of a file; `nil` if it can be shown or played.
  func fault(of name: String) -> PlanFault? {
    guard let type = types[name] else { return nil }
    // The pages serve no links.
    guard let status = FileStatus(withoutFollowing: folder + name) else {
      return PlanFault(\.fileMissing, .text(name))
    }
    guard status.isRegular, let bytes = try? WholeFile.read(folder + name) else {
      return PlanFault(\.fileUnreadable, .text(name))
    }
    let isKnown = Self.beginnings[type]?.contains { bytes.starts(with: $0) } ?? true
    return isKnown ? nil : PlanFault(\.fileOther, .text(name), .text(type))
  }

  /// Answers a request for a file by its name.
  func answer(_ name: String) -> WebResponse {
    // Only names of the plan are in the table, without folders.
    guard let type = types[name] else { return .notFound }
    return .file(folder + name, type: type)
  }
}
