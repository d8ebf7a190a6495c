// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Whether clients only range and nothing else is requested, so that ``processRun(of:in:from:before:)`` can be used.
  var processesRuns: Bool {
    admissions == nil && sightingFilter == nil && regionIndex.isEmpty
      && !ranging.constraints.isEmpty && !ranging.listsAll
  }

  /// Processes reports for as long as each has no beacon, has one that nobody ranges, or has one that is already listed
  /// and sent from the same address as before.
  ///
  /// It does the same as ``process(_:in:into:)`` for such reports, but makes the checks once for all of them.
  ///
  /// - Precondition: ``processesRuns``.
  /// - Parameters:
  ///   - inputs: The inputs of a batch.
  ///   - bytes: The bytes that contain their payloads.
  ///   - first: The index of the first input that was not processed yet.
  ///   - due: The time of ``nextDue``, or the latest possible time.
  /// - Returns: The index of the first input of another kind, or of the first input with something due before it.
  @inline(__always)
  mutating func processRun(
    of inputs: Span<ScanInput>,
    in bytes: Span<UInt8>,
    from first: Int,
    before due: Timestamp
  ) -> Int {
    guard gapStart == nil else { return first }
    let longestGap = configuration.timing.gap
    let (filter, merges) = (configuration.ranging.filter, configuration.ranging.mergesSameIdentity)
    let constraints = ranging.constraints.index
    let receivers = receivers
    var (admission, index, beacons) = (admission, first, 0)
    // Reports of one receiver follow each other, so its state is looked up once.
    var known: UInt8?
    tracks.update { tracks, identities in
      while index < inputs.count, case .report(let report) = inputs[index],
        admission.isQuiet(before: report.time, until: due, longestGap: longestGap)
      {
        if report.receiver != known {
          guard !receivers.isNew(report.receiver) else { return }
          known = report.receiver
        }
        let start = Int(report.payloadStart)
        let range = start..<start &+ Int(report.payloadCount)
        switch BeaconDecoder.read(advertisingData: bytes, in: range) {
        case .beacon(let identity, let power):
          let key = TrackKey(identity, address: merges ? 0 : report.address?.rawValue ?? 0)
          if let slot = identities.slot(of: key) {
            let (address, isContested) = (tracks[slot].address, tracks[slot].isContested)
            guard tracks[slot].listedIndex != nil,
              !Track.mustCompare(report.address, after: address, isContested: isContested)
            else { return }
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
