// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why a capture cannot be read at all.
public enum CaptureFormatError: Error, Sendable, Equatable {
  /// The first bytes match no known capture format.
  case unknownFormat(found: String)
  /// The format is known, but the kind of packets in its records is not supported.
  case unsupported(CaptureFormat, String)
  /// The file is text of JSON objects, and no line of it is one of a recording; with the fault of the first, if it is known.
  case noRecording(fault: String?)
}

extension CaptureFormatError: CustomStringConvertible {
  /// A phrase that names the fault.
  public var description: String {
    switch self {
    case .unknownFormat(let found): "not a capture: it begins with \(found)"
    case .unsupported(let format, let reason): "a \(format.name) capture \(reason)"
    case .noRecording(let fault):
      "not a capture: no line of it is one of a recording" + (fault.map { ": \($0)" } ?? "")
    }
  }
}
