// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that a ``CLMonitor`` can watch; here always a ``CLMonitor/BeaconIdentityCondition``.
public protocol CLCondition: Sendable {}
