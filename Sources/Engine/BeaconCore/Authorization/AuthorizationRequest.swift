// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A program's request for itself.
public enum AuthorizationRequest: Sendable, Hashable {
  /// Authorization while in use.
  case whenInUse
  /// Authorization at any time.
  case always
  /// Full accuracy for this use, for a purpose of the manifest.
  case temporaryFull(purpose: String)
  /// A continuous background session starts (updates started, background updates allowed).
  case startSession
  /// The continuous background session ends.
  case stopSession
  /// A service session starts: a goal that is requested whenever possible (row N11).
  case beginService(ServiceSession)
  /// A service session ends.
  case endService(id: UInt64)
}
