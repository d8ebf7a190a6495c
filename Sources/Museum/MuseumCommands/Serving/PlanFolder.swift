// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconMuseum
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

  /// Answers a request for a file by its name.
  func answer(_ name: String) -> WebResponse {
    // Only names of the plan are in the table, without folders.
    guard let type = types[name] else { return .notFound }
    return .file(folder + name, type: type)
  }
}
