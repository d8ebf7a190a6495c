// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads what a program declares about itself, in scenarios and in manifest files.
///
/// ```json5
/// {
///   whenInUse: "To name what is in front of you.",
///   alwaysAndWhenInUse: "To greet you when you return.",
///   purposes: { ExhibitGuide: "To name the painting in front of you." },
///   backgroundLocation: true,
/// }
/// ```
package enum ManifestReader {
  /// Reads a manifest file.
  ///
  /// - Parameters:
  ///   - bytes: The file, in JSON5.
  ///   - ignoresUnknownKeys: Whether other keys are left alone, as in a file that says more of a program than this.
  /// - Returns: The manifest.
  /// - Throws: ``JSON5Faults`` with every fault of the file.
  package static func read(
    _ bytes: [UInt8],
    ignoresUnknownKeys: Bool = false
  ) throws(JSON5Faults) -> Manifest {
    let faults = FaultCollector()
    let value = try JSON5.parse(bytes, faults: faults)
    let reader = JSON5Reader(value, name: "a manifest", faults: faults)
    let manifest = read(reader, ignoresUnknownKeys: ignoresUnknownKeys)
    try faults.throwIfAny()
    return manifest
  }

  /// Reads a manifest that is part of another file; its faults go where the reader's go.
  package static func read(_ reader: JSON5Reader, ignoresUnknownKeys: Bool = false) -> Manifest {
    var manifest = Manifest()
    guard var object = reader.object() else { return manifest }
    manifest.whenInUse = object.optional("whenInUse")?.nonEmptyString()
    manifest.alwaysAndWhenInUse = object.optional("alwaysAndWhenInUse")?.nonEmptyString()
    if var purposes = object.optional("purposes")?.object() {
      for (key, _, value) in purposes.entries() {
        guard let text = value.nonEmptyString() else { continue }
        manifest.purposes.append(Manifest.Purpose(key: key, text: text))
      }
    }
    manifest.defaultAccuracyReduced =
      object.optional("defaultAccuracyReduced")?.bool() ?? false
    manifest.backgroundLocation = object.optional("backgroundLocation")?.bool() ?? false
    manifest.appClip = object.optional("appClip")?.bool() ?? false
    if !ignoresUnknownKeys { object.finish() }
    return manifest
  }
}
