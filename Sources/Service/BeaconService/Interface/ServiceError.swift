// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// An error that a method of the service returns.
///
/// A missing grant is never one: it is a state with a reason.
package enum ServiceError: Error, Sendable, Hashable {
  /// The constraint has no UUID, or a minor without a major, or a value of another type.
  case invalidConstraint
  /// The region's identifier is empty or too long.
  case invalidRegion
  /// An option has a wrong type or value.
  case invalidOption
  /// The service does not know an option.
  case unknownOption(String)
  /// A part of an option is wrong, or not known.
  case refusedOption(String)
  /// A limit of the service is reached.
  case limitExceeded
  /// The limit of open files, of the service or of an account's part of them, is reached.
  case noDescriptors(isOfAccount: Bool)
  /// The account's programs have not read the descriptors of their last streams.
  case notTaken
  /// The service cannot open its own files now, so that it does not know.
  case notKnown(String)
  /// The client does not monitor the region.
  case unknownRegion
  /// There is no such client, question, or agent.
  case unknownClient
  /// The caller may not administer, or may not answer.
  case notAuthorized
  /// polkit did not decide whether the caller may do that, for this reason.
  case undecided(String)
  /// The service cannot do this now.
  case notReady
  /// What an administrator decided cannot be kept, so that it ends with the service at the latest.
  case notKept

  /// The error on the wire.
  package var answer: Answer { .failure(name: name, text: text) }

  /// The error's name on the wire.
  package var name: String {
    let name =
      switch self {
      case .invalidConstraint: "InvalidConstraint"
      case .invalidRegion: "InvalidRegion"
      case .invalidOption, .unknownOption, .refusedOption: "InvalidOption"
      case .limitExceeded, .noDescriptors, .notTaken: "LimitExceeded"
      case .unknownRegion: "UnknownRegion"
      case .unknownClient: "UnknownClient"
      case .notAuthorized, .undecided: "NotAuthorized"
      case .notReady, .notKnown: "NotReady"
      case .notKept: "NotKept"
      }
    return ServiceName.domain + ".Error." + name
  }

  private var text: String {
    switch self {
    case .invalidConstraint: "a constraint has a uuid, and a major where it has a minor"
    case .invalidRegion: "a region's identifier has 1 to 255 bytes"
    case .invalidOption: "an option has a wrong type or value"
    case .unknownOption(let name): "the service has no option '\(name)'"
    case .refusedOption(let fault): fault
    case .limitExceeded: "a limit of the service is reached"
    case .noDescriptors(let isOfAccount):
      "the streams of \(isOfAccount ? "this account" : "all accounts") are as many as the service's limit of open files allows"
    case .notTaken: "programs of this account have not read the answers with their last streams"
    case .notKnown(let reason): "the service cannot do this now: \(reason)"
    case .unknownRegion: "no such region"
    case .unknownClient: "the service knows no such client or question"
    case .notAuthorized: "this account may not do that"
    case .undecided(let reason):
      "polkit does not decide whether this account may do that: \(reason)"
    case .notReady: "the service cannot do this now"
    case .notKept:
      "the service cannot keep this in its state folder, so it does not last; its messages say why"
    }
  }
}
