// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A condition that a ``CLMonitor`` can monitor: here a ``CLMonitor/BeaconIdentityCondition``.
public protocol CLCondition: Codable, Sendable {}
