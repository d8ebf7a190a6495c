// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@_exported public import BeaconCore
// Events as lines.
@_exported public import struct BeaconFormats.EventLine
@_exported public import enum BeaconFormats.EventLineError
// The errors that a program catches by name.
@_exported public import enum BeaconFormats.CaptureFormatError
@_exported public import struct SystemKit.SystemError

#if Foundation
  public import Foundation

  /// An error of this package, with a sentence for users.
  public protocol BeaconError: LocalizedError, CustomStringConvertible {}

  extension BeaconError {
    /// The sentence.
    public var errorDescription: String? { description }
    /// `nil`: the sentence contains it.
    public var failureReason: String? { nil }
    /// `nil`: the sentence contains it.
    public var recoverySuggestion: String? { nil }
    /// `nil`.
    public var helpAnchor: String? { nil }
  }
#else
  /// An error of this package, with a sentence for users.
  ///
  /// `localizedDescription` of an error whose type is not known needs Foundation, which this package does not use. With the
  /// package's trait `Foundation` it is the same sentence.
  public protocol BeaconError: Error, CustomStringConvertible {}
#endif

extension BeaconError {
  /// The sentence.
  public var localizedDescription: String { description }
}

extension SystemError: BeaconError {}
extension CaptureFormatError: BeaconError {}
extension EventLineError: BeaconError {}
extension IdentitySyntaxError: BeaconError {}
extension CalibrationError: BeaconError {}
extension Zone.Fault: BeaconError {}
