// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Whether clients range and nothing else is asked for, so that ``processRun(of:in:from:before:)`` may be tried.
  var processesRuns: Bool {
    admissions == nil && sightingFilter == nil && regionIndex.isEmpty
      && !ranging.constraints.isEmpty
  }

  /// Processes reports as long as each is of no beacon, of one that nobody ranges, or of one that is listed already.
  ///
  /// It does what ``process(_:in:into:)`` does for such reports, but checks once for all of them what that checks for each.
  ///
  /// - Precondition: ``processesRuns``.
  /// - Parameters:
  ///   - inputs: The inputs of a batch.
  ///   - bytes: What their payloads lie in.
  ///   - first: The index of the first input that was not processed yet.
  ///   - due: The time of ``nextDue``, or the latest there is.
  /// - Returns: The index of the first other input, or of the one before which something falls due.
  @inline(__always)
  mutating func processRun(
    of inputs: Span<ScanInput>,
    in bytes: Span<UInt8>,
    from first: Int,
    before due: Timestamp
  ) -> Int {
    guard gap == nil else { return first }
    let longestGap = configuration.timing.gap
    let (filter, merges) = (configuration.ranging.filter, configuration.ranging.mergesSameIdentity)
    let constraints = ranging.constraints.index
    var (admission, index, beacons) = (admission, first, 0)
    tracks.update { tracks, identities in
      while index < inputs.count, case .report(let report) = inputs[index],
        admission.isQuiet(before: report.time, until: due, longestGap: longestGap)
      {
        let start = Int(report.payloadStart)
        let range = start..<start &+ Int(report.payloadCount)
        switch BeaconDecoder.read(advertisingData: bytes, in: range) {
        case .beacon(let identity, let power):
          let key = TrackKey(identity, address: merges ? 0 : report.address?.rawValue ?? 0)
          if let slot = identities.slot(of: key) {
            guard tracks[slot].listedIndex != nil else { return }
            let time = admission.admit(report.time)
            if !tracks[slot].received(report, measuredPower: power, at: time) {
              tracks[slot].receivedElsewhere(report, at: time, filter: filter)
            }
          } else {
            guard !constraints.matchesAny(identity) else { return }
            _ = admission.admit(report.time)
          }
          beacons &+= 1
        case .presence:
          return
        case .rejected(let reason):
          guard !reason.claimsToBeBeacon else { return }
          _ = admission.admit(report.time)
        }
        index &+= 1
      }
    }
    self.admission = admission
    counts.reports &+= index &- first
    counts.beaconReports &+= beacons
    return index
  }
}
