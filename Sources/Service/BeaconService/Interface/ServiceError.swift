// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// An error that a method of the service returns.
///
/// A missing grant is never one: it is a state with a reason.
package enum ServiceError: String, Error, Sendable, CaseIterable {
  /// The constraint has no UUID, or a minor without a major, or a value of another type.
  case invalidConstraint = "InvalidConstraint"
  /// The region's identifier is empty or too long.
  case invalidRegion = "InvalidRegion"
  /// An option has a wrong type or value.
  case invalidOption = "InvalidOption"
  /// A limit of the service is reached.
  case limitExceeded = "LimitExceeded"
  /// The client does not monitor the region.
  case unknownRegion = "UnknownRegion"
  /// There is no such client, question, or agent.
  case unknownClient = "UnknownClient"
  /// The caller may not administer, or may not answer.
  case notAuthorized = "NotAuthorized"
  /// The service cannot do this now.
  case notReady = "NotReady"
  /// What an administrator decided cannot be kept, so that it ends with the service at the latest.
  case notKept = "NotKept"

  /// The error on the wire.
  package var answer: Answer {
    .failure(name: ServiceName.domain + ".Error." + rawValue, text: text)
  }

  private var text: String {
    switch self {
    case .invalidConstraint: "a constraint has a uuid, and a major where it has a minor"
    case .invalidRegion: "a region's identifier has 1 to 255 bytes"
    case .invalidOption: "an option has a wrong type or value"
    case .limitExceeded: "a limit of the service is reached"
    case .unknownRegion: "no such region"
    case .unknownClient: "the service knows no such client or question"
    case .notAuthorized: "this account may not do that"
    case .notReady: "the service cannot do this now"
    case .notKept:
      "the service cannot keep this in its state folder, so it does not last; its messages say why"
    }
  }
}
