// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

// Turns the engine's deliveries into calls with Apple's names and sentinel values.

extension CLLocationManager {
  /// Calls the delegate for a delivery; the visit that a state or a crossing begins or ends comes after it.
  func receive(_ delivery: Delivery) {
    let visit = visits.note(delivery.event, at: delivery.time)
    defer {
      if let visit, service.monitorsVisits {
        delegate?.locationManager(self, didVisit: CLVisit(visit))
      }
    }
    switch delivery.event {
    case .ranged(let entries):
      for entry in entries { deliverTick(entry) }
    case .regionEntered(let identifier, _, _):
      guard let region = service.region(identifier) else { return }
      call { $0.locationManager(self, didEnterRegion: region) }
    case .regionExited(let identifier, _, _):
      guard let region = service.region(identifier) else { return }
      call { $0.locationManager(self, didExitRegion: region) }
    case .regionState(let identifier, let state, _, let reason):
      deliverState(state, of: identifier, reason)
    case .authorization(let status, let accuracy):
      let changes = updateAuthorization(
        LocationService.Authorization(status: status, accuracy: accuracy)
      )
      delegate?.locationManagerDidChangeAuthorization(self)
      if changes { delegate?.locationManager(self, didChangeAuthorization: status.cl) }
    case .completion(.monitor(let identifier), _):
      guard let region = service.region(identifier) else { return }
      delegate?.locationManager(self, didStartMonitoringFor: region)
    case .completion(.temporaryFull(let purpose), let code):
      callCompletion(of: purpose, code)
    case .failure(let code, let subject): deliverFailure(CLError(of: code), subject)
    case .diagnostic(.authorization(let diagnostic)): note(diagnostic)
    case .sighting, .nearby, .prompt, .promptWithdrawn, .notification, .indicator,
      .serviceDiagnostics,
      .diagnostic:
      break
    }
  }

  private func deliverTick(_ entry: ConstraintRanging) {
    let (constraint, regions) = lock.withLock {
      (
        requests.constraints[entry.constraint],
        requests.rangedRegions.values
          .filter { $0.beaconIdentityConstraint.constraint == entry.constraint }
          .sorted { $0.identifier < $1.identifier }
      )
    }
    guard constraint != nil || !regions.isEmpty, delegate != nil else { return }
    var tick = lastTicks.removeValue(forKey: entry.constraint) ?? TickBeacons(of: entry.constraint)
    let beacons = tick.beacons(of: entry)
    defer { lastTicks[entry.constraint] = tick }
    if let constraint {
      call { $0.locationManager(self, didRange: beacons, satisfying: constraint) }
    }
    for region in regions {
      call { $0.locationManager(self, didRangeBeacons: beacons, in: region) }
    }
  }

  private func deliverState(
    _ state: RegionState,
    of identifier: RegionIdentifier,
    _ reason: RegionStateReason
  ) {
    var requested: CLRegion?
    switch reason {
    // The state that an earlier run knew is not new, and neither is the end of the program.
    case .restored, .assumed, .shutdown, .limitExceeded, .unsupported: return
    case .requested, .notInUse, .notMonitored, .authorization, .accuracy, .serviceSession:
      // Apple's delegates receive no callback for a withheld state unless they requested it.
      requested = consumeStateRequest(of: identifier)
      guard requested != nil else { return }
    case .received, .cameInRange, .allSilent, .leftRange, .nothingReceived, .distanceUnknown,
      .tooWeak,
      .tooFewReports, .radioOff, .radioDeaf, .radioGone, .registeredAgain, .resumed, .whileUnknown,
      .cameToPlace, .leftPlace,
      .placeUnknown:
      break
    }
    guard let region = service.region(identifier) ?? requested else { return }
    let state = CLRegionState(rawValue: Int(state.rawValue)) ?? .unknown
    guard delegate != nil else { return miss(state, of: identifier) }
    call { $0.locationManager(self, didDetermineState: state, for: region) }
  }

  /// Removes the first open request for a region's state, and returns the region as it was requested.
  private func consumeStateRequest(of identifier: RegionIdentifier) -> CLRegion? {
    lock.withLock {
      guard var open = requests.stateRequests[identifier], !open.isEmpty else { return nil }
      defer { requests.stateRequests[identifier] = open.isEmpty ? nil : open }
      return open.removeFirst()
    }
  }

  private func callCompletion(of purpose: String, _ code: LocationErrorCode?) {
    let completion = lock.withLock { () -> (((any Error)?) -> Void)? in
      guard let waiting = requests.completions[purpose], !waiting.isEmpty else { return nil }
      return requests.completions[purpose]?.removeFirst()
    }
    completion?(code.map { CLError(of: $0) })
  }

  private func deliverFailure(_ error: CLError, _ subject: FailedSubject) {
    switch subject {
    case .region(let identifier):
      guard !ConditionName.isCondition(identifier) else { return }
      let region = service.lastRequested(identifier)
      delegate?.locationManager(self, monitoringDidFailFor: region, withError: error)
    case .constraint(let failed): emitRangingFailure(of: failed, error)
    }
  }

  private func emitRangingFailure(of failed: IdentityConstraint, _ error: CLError) {
    let (constraint, regions) = lock.withLock {
      (
        requests.constraints[failed],
        requests.rangedRegions.values
          .filter { $0.beaconIdentityConstraint.constraint == failed }
          .sorted { $0.identifier < $1.identifier }
      )
    }
    if let constraint {
      delegate?.locationManager(self, didFailRangingFor: constraint, error: error)
    }
    for region in regions {
      delegate?.locationManager(self, rangingBeaconsDidFailFor: region, withError: error)
    }
  }

  /// Reports that the source could not be opened or failed, as a failure of everything requested.
  func deliverFailure() {
    warnOfDelegate(delegate)
    guard let failure = service.failure else { return }
    service.note("\(failure)")
    for constraint in lock.withLock({ requests.ranged }).sorted() {
      emitRangingFailure(of: constraint, CLError(.rangingUnavailable))
    }
    for region in service.regions.sorted(by: { $0.identifier < $1.identifier }) {
      delegate?.locationManager(
        self,
        monitoringDidFailFor: region,
        withError: CLError(.regionMonitoringFailure)
      )
    }
    delegate?.locationManager(self, didFailWithError: failure)
  }

  /// Prints a note about a missing usage text or a refused session, which have no callback.
  private func note(_ diagnostic: AuthorizationDiagnostic) {
    switch diagnostic {
    case .usageTextMissing(let key):
      let key = UsageKeys.apple(key)
      service.note("a request does nothing, for the Info.plist has no \(key)")
    case .purposeKeyMissing(let key):
      service.note("the Info.plist has no purpose '\(key)' in \(UsageKeys.purposes)")
    case .backgroundModeMissing:
      service.note(
        "background updates do nothing, for the Info.plist has no 'location' in \(UsageKeys.modes)"
      )
    case .serviceSessionRequired:
      service.note(
        "nothing comes without a CLServiceSession, for the Info.plist has \(UsageKeys.explicitSession)"
      )
    default: break
    }
  }
}

extension CLError {
  /// Creates the error for one of the engine's codes.
  init(of code: LocationErrorCode) {
    self.init(Code(rawValue: code.rawValue) ?? .locationUnknown)
  }
}
