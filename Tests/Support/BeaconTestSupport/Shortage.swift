// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Glibc

/// Calls a closure while the process can open no further file; for a separate process of a test.
package func withoutDescriptors<Result>(_ body: () throws -> Result) rethrows -> Result {
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var usual = rlimit()
  _ = unsafe getrlimit(resource, &usual)
  var none = usual
  // The standard streams have the numbers below, whatever other threads close now.
  none.rlim_cur = 3
  _ = unsafe setrlimit(resource, &none)
  defer { _ = unsafe setrlimit(resource, &usual) }
  return try body()
}
