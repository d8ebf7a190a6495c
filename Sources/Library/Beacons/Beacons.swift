// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@_exported public import BeaconCore
// The errors that a program catches by name.
@_exported public import enum BeaconFormats.CaptureFormatError
@_exported public import struct SystemKit.SystemError
