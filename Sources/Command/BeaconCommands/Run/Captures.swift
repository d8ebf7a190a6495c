// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconFormats
package import Beacons
internal import SystemKit

extension CommandFailure {
  /// A file that is not a capture, with the kinds of files that are.
  package init(_ error: CaptureError) {
    let remedy =
      switch error.reason {
      case .unknownFormat:
        "give a recording of 'beaconctl record', or a capture as btsnoop, pcap, pcapng, PacketLogger or hcidump write it"
      case .unsupported: "capture Bluetooth, as 'beaconctl record FILE' or 'btmon -w FILE' do"
      case .noRecording: "give a recording of 'beaconctl record', or a capture of another format"
      }
    self.init(.badData, "\(error); \(remedy)")
  }

  /// The failure of a command that cannot read a capture; `nil` for an error that has another reason.
  package init?(reading error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as CaptureError: self.init(error)
    case let error as SystemError where error.kind != .write: self.init(error)
    default: return nil
    }
  }
}

extension Options {
  /// The captures of a command that takes them as arguments.
  package static let captureFiles = CommandArgument(
    .file("CAPTURE"),
    "A capture of any format; - is standard input; several, or 'air.jsonl*', are merged",
    repeats: true
  )
}

extension ParsedArguments {
  /// The files that each `--from`, or argument of a command that takes captures, names; several if one is a pattern.
  ///
  /// - Throws: ``CommandFailure`` if no file matches a pattern.
  package func captureGroups() throws(CommandFailure) -> [[String]] {
    var groups: [[String]] = []
    for name in all(Options.from) + all(Options.captureFiles) {
      let paths = FilePattern.expanded(name)
      if paths.isEmpty { throw CommandFailure(.noInput, "no file matches '\(name)'") }
      groups.append(paths)
    }
    return groups
  }

  /// The files that all of them name together.
  package func captures() throws(CommandFailure) -> [String] {
    try captureGroups().flatMap { $0 }
  }
}
