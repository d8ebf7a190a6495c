// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Apple's module also exports Foundation, and programs rely on that.
@_exported public import Foundation

/// A distance in meters; negative if it is unknown.
public typealias CLLocationAccuracy = Double

/// The major number of a beacon, 0...65535.
public typealias CLBeaconMajorValue = UInt16

/// The minor number of a beacon, 0...65535.
public typealias CLBeaconMinorValue = UInt16
