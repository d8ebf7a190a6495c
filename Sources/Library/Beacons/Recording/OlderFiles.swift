// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

/// The older files of a recording that rotates, each of which a rotation renames.
///
/// Each of them is looked into once. So a rotation does not read the whole recording again, however many files are kept.
struct OlderFiles {
  /// The sizes of those that are recordings.
  private var known: [FileIdentity: Int] = [:]

  /// Checks that each older file can be renamed, and returns how many there are.
  ///
  /// - Throws: `OutputRefusal` for the first that is an input or another output of the run, or no recording;
  ///   `SystemError` for one that cannot be read.
  mutating func check(_ place: RecordingFile.Place, opening files: OutputFiles) throws -> Int {
    var found: [FileIdentity: Int] = [:]
    var count = 0
    while let status = FileStatus("\(place.path).\(count + 1)") {
      count += 1
      // A file with later writes is looked into again.
      if known[status.identity] != status.size {
        try Self.check("\(place.path).\(count)", place, opening: files)
      }
      found[status.identity] = status.size
      if count >= place.kept, place.rotation != nil { break }
    }
    known = found
    return count
  }

  private static func check(
    _ path: String,
    _ place: RecordingFile.Place,
    opening files: OutputFiles
  ) throws {
    try files.check(path, keepingContent: true)
    if case .foreign = try ExistingRecording(path, place.format) {
      throw OutputRefusal.isNoRecording(path: path, canReplace: false)
    }
  }
}
