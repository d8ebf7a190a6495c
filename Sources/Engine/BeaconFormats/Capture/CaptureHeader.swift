// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The first line of a recording and of each of its pieces, which describes the recording.
package struct CaptureHeader: Sendable, Equatable {
  /// The program that made the recording.
  package var tool: String?
  /// That program's version.
  package var version: String?
  /// The names of the receivers, by index.
  package var receivers: [String]
  /// The profile of the engine.
  package var profile: String?
  /// Whether addresses are replaced by pseudonyms that are valid only in this file.
  package var isRedacted: Bool
  /// When the recording started, the same time in each of its pieces; `nil` if its header does not contain it.
  package var begun: Timestamp?
  /// The number of the piece, from 1; `nil` if its header does not contain it.
  package var piece: Int?
  /// By how many decibels receivers received more than in their site's survey, as far as the run knew when it started.
  package var offsets: [String: Int]
  /// Whether the start of the part was cut off, so that the inputs before it are not known.
  package var isCut: Bool

  /// Creates a header.
  package init(
    tool: String? = nil,
    version: String? = nil,
    receivers: [String] = [],
    profile: String? = nil,
    isRedacted: Bool = false,
    begun: Timestamp? = nil,
    piece: Int? = nil,
    offsets: [String: Int] = [:],
    isCut: Bool = false
  ) {
    self.tool = tool
    self.version = version
    self.receivers = receivers
    self.profile = profile
    self.isRedacted = isRedacted
    self.begun = begun
    self.piece = piece
    self.offsets = offsets
    self.isCut = isCut
  }

  /// Returns whether a part of a recording continues exactly at the end of the part before it.
  ///
  /// If not, there was no recorder between the two.
  ///
  /// - Parameters:
  ///   - earlier: The header of the part before.
  ///   - hasEnded: Whether that part ends with the end of a recording.
  ///   - later: The header of the part.
  /// - Returns: Whether the part continues the one before.
  package static func isSeamless(
    from earlier: CaptureHeader?,
    hasEnded: Bool,
    to later: CaptureHeader?
  ) -> Bool {
    guard let earlier, let later, !hasEnded, !later.isCut else { return false }
    guard earlier.begun == later.begun else { return false }
    if earlier.begun == nil { return true }
    guard let first = earlier.piece, let second = later.piece else { return true }
    return second == first || second == first &+ 1
  }
}
