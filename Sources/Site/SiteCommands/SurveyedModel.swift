// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconSites
internal import SystemKit

/// The file of a model, as surveys write it: a former model stays next to it, and one step brings it back.
struct SurveyedModel {
  let output: OutputPath
  let io: CommandIO

  /// The number of places of the model that the file has, and that a new one would replace; `nil` for no file with content.
  var replaced: Int? {
    guard !output.isStandardOutput, let status = FileStatus(output.path), status.isRegular,
      status.size > 0
    else { return nil }
    return (try? SiteFiles.model(output.path))?.places.count ?? 0
  }

  /// Checks before the survey whether the file can be written.
  ///
  /// - Parameter asks: Whether the user will be asked before a model is replaced.
  /// - Throws: `OutputRefusal` or `SystemError` if it cannot.
  func check(asking asks: Bool) throws {
    try io.check(
      [output],
      asks && !io.files.replaces && replaced != nil ? .continued : .whole
    )
  }

  /// Writes a model; the caller has asked whether it may replace another one.
  ///
  /// - Returns: A note for the user, if any.
  func write(_ model: SiteModel) throws -> String? {
    let bytes = SiteModelFile.bytes(of: model)
    guard replaced != nil else {
      try io.write(String(decoding: bytes, as: UTF8.self), to: output)
      return nil
    }
    guard let former = try io.files.replace(output.path, keepingFormerWith: bytes) else {
      return "\(output.path) already is this model, so nothing was written"
    }
    return "the former model is \(former); \(Self.undoing(output.path)) brings it back"
  }

  /// Keeps a model next to the file, which stays as it is.
  ///
  /// - Returns: A note for the user.
  func keep(_ model: SiteModel) throws -> String {
    let kept = try io.files.keep(SiteModelFile.bytes(of: model), nextTo: output.path)
    return
      "\(output.path) stays; the new model is \(kept), and \(Self.undoing(output.path)) exchanges them"
  }

  /// Brings the former model back; a second call takes it away again.
  ///
  /// - Returns: A note for the user.
  /// - Throws: ``CommandFailure`` without one, or if it cannot be read as a model.
  func undo() throws -> String {
    // It must exist, and be a model: of anything else nothing is exchanged.
    _ = try SiteFiles.model(output.path)
    let copies = try io.files.copies(of: output.path)
    var places = 0
    let kept = try io.files.exchangeFormer(of: output.path) { former in
      places = try SiteFiles.model(former).places.count
    }
    let list = SiteFiles.list(copies)
    let same = copies.count == 1 ? "\(list) is the same model" : "\(list) are the same model"
    guard let kept else {
      throw CommandFailure(
        .negativeVerdict,
        "\(output.path) has no other model next to it, so it stays"
          + (copies.isEmpty ? "" : "; \(same)")
      )
    }
    return
      "\(output.path) is the former model again, with \(SiteFiles.places(places)); the other one is \(kept)"
      + (copies.isEmpty ? "" : "; \(same) as that")
  }

  /// Whether there is a model to bring back.
  var hasFormer: Bool { io.files.hasFormer(of: output.path) }

  private static func undoing(_ path: String) -> String { "'site survey --undo \(path)'" }
}
