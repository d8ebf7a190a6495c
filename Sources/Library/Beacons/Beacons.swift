// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@_exported public import BeaconCore
// Events as lines.
@_exported public import struct BeaconFormats.EventLine
@_exported public import enum BeaconFormats.EventLineError
// The errors that a program catches by name.
@_exported public import enum BeaconFormats.CaptureFormatError
@_exported public import struct SystemKit.SystemError
