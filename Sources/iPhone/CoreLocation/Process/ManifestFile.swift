// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Beacons

/// The file with a program's manifest: an `Info.plist`, or JSON5 with a manifest's keys.
struct ManifestFile {
  private let path: String

  init(path: String) {
    self.path = path
  }

  /// The file of this process: `BEACONS_MANIFEST`, or the first one next to the executable, if any.
  static func ofProcess() -> ManifestFile? {
    if let path = ProcessInfo.processInfo.environment["BEACONS_MANIFEST"], !path.isEmpty {
      return ManifestFile(path: path)
    }
    let name = ProcessFiles.name
    return ProcessFiles.first(
      of: ["\(name)-Info.plist", "Info.plist", "\(name)-Info.json5", "Info.json5"]
    ).map { ManifestFile(path: $0) }
  }

  /// Reads the file.
  ///
  /// - Throws: ``SetupError`` when the file cannot be read.
  func manifest() throws -> Manifest {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SetupError("cannot read \(path)")
    }
    do {
      return path.hasSuffix(".json5") || path.hasSuffix(".json")
        ? try Self.manifest(json5: data) : try Self.manifest(propertyList: data)
    } catch {
      throw SetupError("\(path): \(error)")
    }
  }

  private static func manifest(propertyList data: Data) throws -> Manifest {
    let value = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
    guard let keys = value as? [String: Any] else { throw SetupError("it is no dictionary") }
    let purposes = keys[UsageKeys.purposes] as? [String: String] ?? [:]
    return Manifest(
      whenInUse: keys[UsageKeys.whenInUse] as? String,
      alwaysAndWhenInUse: keys[UsageKeys.always] as? String,
      purposes: list(purposes),
      defaultAccuracyReduced: keys[UsageKeys.reduced] as? Bool ?? false,
      backgroundLocation: (keys[UsageKeys.modes] as? [String])?.contains("location") ?? false,
      appClip: keys[UsageKeys.appClip] != nil,
      explicitServiceSession: keys[UsageKeys.explicitSession] as? Bool ?? false
    )
  }

  private static func manifest(json5 data: Data) throws -> Manifest {
    try Manifest.read([UInt8](data), named: "a manifest", isStrict: false)
  }

  private static func list(_ purposes: [String: String]) -> [Manifest.Purpose] {
    purposes.sorted { $0.key < $1.key }.map { Manifest.Purpose(key: $0.key, text: $0.value) }
  }
}
