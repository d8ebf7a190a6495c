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
    let isAddress =
      error.subject.hasPrefix("esphome:") || error.subject.hasPrefix("mqtt:")
      || error.subject.includes("://")
    return isAddress ? "; a source in the network is esphome://HOST or mqtt://HOST/SITE" : ""
  }
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
