// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

// What live runs learned about the receivers of a site. It may be lost.

extension ClientStore {
  private var sitesFile: StoreFile { StoreFile(path: directory + "/sites.json", files: files) }

  /// Returns by how many decibels receivers receive more than in a site's survey, as an earlier run learned.
  ///
  /// - Parameter model: The checksum of the site's model.
  /// - Returns: The offsets; none if the file is absent, damaged, or could be another account's.
  package func receiverOffsets(ofModel model: String) -> [String: Int] {
    guard distrust(of: sitesFile.path) == nil,
      case .value(let content) = sitesFile.read(SitesFile.self, named: SitesFile.name)
    else { return [:] }
    let site = content.sites.first { $0.model == model }
    return Dictionary(site?.offsets ?? []) { first, _ in first }
  }

  /// Keeps the offsets of a site's receivers; those of other sites stay.
  ///
  /// - Throws: `SystemError` when the file cannot be written, ``StoreError`` when it must not be.
  package func keep(receiverOffsets offsets: [String: Int], ofModel model: String) throws {
    try withLock(directory, "sites.lock") {
      var notes: [ClientDiagnostic] = []
      var (old, content): (_, SitesFile) = try readForChange(
        sitesFile,
        named: SitesFile.name,
        notes: &notes
      )
      content.sites.removeAll { $0.model == model }
      let entries = offsets.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
      content.sites.insert(SiteOffsets(model: model, offsets: entries), at: 0)
      content.sites.removeSubrange(min(content.sites.count, SitesFile.limit)...)
      let bytes = StoreFile.bytes(of: content, keeping: old)
      try files.replace(sitesFile.path, with: bytes, mode: 0o600)
    }
  }
}

/// The content of the file, the site that changed last first.
private struct SitesFile: FormedObject {
  static let name = "the sites"
  static var blank: SitesFile { SitesFile() }
  /// The most sites: a model that is surveyed again is another site.
  static let limit = 16

  var sites: [SiteOffsets] = []

  mutating func form(_ form: inout Form) {
    StoreFile.version(&form)
    form("sites", &sites)
  }
}

/// The learned offsets of the receivers of a model.
private struct SiteOffsets: FormedObject {
  static var blank: SiteOffsets { SiteOffsets(model: "", offsets: []) }

  var model: String
  var offsets: [(key: String, value: Int)]

  mutating func form(_ form: inout Form) {
    form("model", &model)
    form.entries("offsets", &offsets)
  }

  var formIdentity: String? { model }
}
