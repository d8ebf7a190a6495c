// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Counts SIGHUP, with which a service is asked to read its configuration again.
///
/// A signal handler may call only a few functions. So it only counts here, and loops check the count.
package enum Hangup {
  private static let signals = Atomic<UInt32>(0)

  /// How often the signal came since ``install()``.
  package static var count: UInt32 { signals.load(ordering: .relaxed) }

  /// Starts to handle the signal, which would end the process otherwise.
  package static func install() {
    SignalHandler.install(SIGHUP, flags: Int32(truncatingIfNeeded: SA_RESTART), handle)
  }

  private static let handle: @convention(c) (Int32) -> Void = { _ in
    Hangup.signals.wrappingAdd(1, ordering: .relaxed)
  }
}
