// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import SystemKit

/// A file that a command line names for output; `-` is standard output.
package struct OutputPath: Sendable, Equatable {
  /// The path as the user named it.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Whether it is standard output.
  package var isStandardOutput: Bool { path == "-" }
}

extension ValueKind where Value == OutputPath {
  /// A file to write, or `-` if a command allows it; what help calls it.
  package static func output(_ placeholder: String) -> ValueKind {
    ValueKind(placeholder, completion: .files) { text throws(ValueFault) in
      guard !text.isEmpty else { throw .wrong("\(placeholder) is empty; name a file") }
      return OutputPath(text)
    }
  }
}

extension ValueKind where Value == UInt32 {
  /// Permissions of a file as an octal number, such as `640`.
  package static var fileMode: ValueKind {
    ValueKind("MODE") { text throws(ValueFault) in
      guard let mode = UInt32(text, radix: 8), mode & ~0o777 == 0, mode & 0o200 != 0 else {
        throw .wrong(
          "\(quoted(text)) is not a mode; write three octal digits that let the owner write, such as 640"
        )
      }
      return mode
    }
  }
}

extension CommandIO {
  /// Checks all outputs of a command before its work, so that it is not done in vain.
  ///
  /// - Parameters:
  ///   - outputs: The outputs.
  ///   - existing: What will happen to a file that exists.
  /// - Throws: `OutputRefusal` or `SystemError` for the first that could not be written.
  package func check(
    _ outputs: [OutputPath],
    _ existing: OutputFiles.Existing = .whole
  ) throws {
    for output in outputs {
      if output.isStandardOutput {
        try files.announceStandardOutput(as: output.path)
      } else {
        try files.announce(output.path, existing)
      }
    }
  }

  /// Opens an output that is written piece by piece.
  package func open(
    _ output: OutputPath,
    _ existing: OutputFiles.Existing = .whole
  ) throws -> any ByteSink {
    guard !output.isStandardOutput else { return self.output }
    return FileSink(try files.open(output.path, existing))
  }

  /// Writes an output as a whole.
  package func write(_ text: String, to output: OutputPath) throws {
    guard !output.isStandardOutput else { return try self.output.write(Array(text.utf8)) }
    try files.write(Array(text.utf8), to: output.path)
  }
}
