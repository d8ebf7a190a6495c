// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import SystemKit

extension CommandFailure {
  /// The fault of a file that could not be read or written; no text if the user stopped the reading.
  package init(_ error: SystemError) {
    if error.isInterruption, let code = Interruption.exitCode {
      self.init(code, [])
      return
    }
    let isNoInput = (error.isNoSuchFile || error.isFolder) && error.kind != .write
    let code: ExitCode =
      if isNoInput {
        .noInput
      } else if error.isNotPermitted {
        .notPermitted
      } else if error.isTooLarge {
        .badData
      } else {
        error.isOfInput ? .noInput : .failed
      }
    self.init(code, error.description + (isNoInput ? Self.remedy(error) : ""))
  }

  private static func remedy(_ error: SystemError) -> String {
    if error.isFolder { return "; name a file in it" }
    let subject = error.subject
    // A command that takes such a source does not open it as a file.
    if ["mqtt://", "mqtts://", "esphome://", "service:"].contains(where: { subject.hasPrefix($0) })
    {
      return "; it is a live source, and this takes captures:"
        + " 'beaconctl range --from \(subject.oneLine) --record FILE' records one"
    }
    if subject.hasPrefix("hci"), subject.count > 3, subject.utf8.dropFirst(3).allSatisfy(isDigit) {
      return "; an adapter is a live source, and this takes captures:"
        + " 'beaconctl record FILE --adapter \(subject.oneLine)' records one"
    }
    let isAddress =
      subject.hasPrefix("esphome:") || subject.hasPrefix("mqtt:") || subject.includes("://")
    return isAddress ? "; a source in the network is esphome://HOST or mqtt://HOST/SITE" : ""
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension Interruption {
  /// The exit code for what asked the program to stop; `nil` while nothing did.
  package static var exitCode: ExitCode? {
    switch cause {
    case nil: nil
    case .ended: .done
    case .terminated: .terminated
    case .interrupted: .interrupted
    }
  }
}
