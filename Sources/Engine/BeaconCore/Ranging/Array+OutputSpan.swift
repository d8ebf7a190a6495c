// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if compiler(<6.3)
  extension Array {
    /// Appends elements that a closure writes to an output span, as the standard library can since Swift 6.3.
    ///
    /// The elements are copied once, which the standard library avoids.
    @inline(__always)
    package mutating func append<Failure: Error>(
      addingCapacity count: Int,
      initializingWith body: (inout OutputSpan<Element>) throws(Failure) -> Void
    ) throws(Failure) {
      var failure: Failure?
      let added = unsafe Array(unsafeUninitializedCapacity: count) { free, initialized in
        var span = unsafe OutputSpan(buffer: free, initializedCount: 0)
        do throws(Failure) { try body(&span) } catch { failure = error }
        initialized = unsafe span.finalize(for: free)
      }
      append(contentsOf: added)
      if let failure { throw failure }
    }
  }
#endif
