// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What may reach a client as it stands: the delivery rows D1 to D9 and E16 to E18 as one pure function.
public struct DeliveryRules: Sendable, Hashable {
  /// What becomes of something the engine has to tell.
  public enum Verdict: Sendable, Hashable {
    /// Tell it.
    case deliver
    /// It happened, and the client is not told: dropped, never queued.
    case drop
    /// Keep it in the client's one slot until the person decides.
    case hold
    /// The client is told once that it gets nothing, by this code, when it asks or when this becomes so.
    case fail(LocationErrorCode)
    /// There is nothing to tell; registrations are kept.
    case silent
  }

  /// The answer to a request for a region's state.
  public enum StateAnswer: Sendable, Hashable {
    /// The state as last determined.
    case cached
    /// Unknown, for a reason.
    case unknown(Withholding)
  }

  /// Why a client is not told; the raw values are the reasons in outputs.
  public enum Withholding: String, Sendable, CaseIterable {
    /// Its status grants nothing, or not this.
    case authorization
    /// Its accuracy is reduced.
    case accuracy
    /// It is not in use.
    case notInUse
  }

  /// Ranging ticks; empty ones count as ticks (row U21).
  public let ranging: Verdict
  /// Enter and exit, and the states told with them and at the start.
  public let crossing: Verdict
  /// A notification of a region, which the machine shows without telling the client.
  public let notification: Verdict
  /// A request for a region's state.
  public let stateRequest: StateAnswer
  /// How starting to range fails, or `nil` when it is accepted, be it to silence.
  public let rangingStartFailure: LocationErrorCode?
  /// How starting to monitor fails, or `nil` when it is accepted, be it to silence.
  public let monitoringStartFailure: LocationErrorCode?
  /// Why ticks are withheld, or `nil` when they are told.
  public let rangingWithheld: Withholding?
  /// Why region events are withheld, or `nil` when they are told; a held event is withheld for not being in use.
  public let crossingWithheld: Withholding?

  /// Looks up the matrices.
  ///
  /// - Parameters:
  ///   - profile: Whose rules hold.
  ///   - standing: What the client is granted.
  ///   - accuracy: The accuracy that the client reads, temporary full accuracy included.
  ///   - isInUse: Whether the client is in use.
  ///   - isAwake: Whether a region event woke the client a moment ago, which only iOS 12 asks.
  public init(
    profile: AuthorizationProfile,
    standing: AuthorizationStanding,
    accuracy: AccuracyAuthorization,
    isInUse: Bool,
    isAwake: Bool = false
  ) {
    let grants = Grants(profile: profile, standing: standing)
    let isLimited = accuracy == .reduced

    rangingStartFailure = grants.rangingFailure
    monitoringStartFailure = grants.monitoringFailure
    notification = standing.isAuthorized && !isLimited ? .deliver : .silent

    let rangingOutOfUse = grants.ranging == .always || (grants.ranging == .whileAwake && isAwake)
    (ranging, rangingWithheld) =
      switch (grants.ranging, isLimited) {
      case (.never, _):
        (isInUse ? grants.rangingFailure.map(Verdict.fail) ?? .silent : .silent, .authorization)
      case (_, true): (.silent, .accuracy)
      case (_, false) where isInUse || rangingOutOfUse: (.deliver, nil)
      case (_, false): (.drop, .notInUse)
      }

    switch (grants.regions, isLimited) {
    case (.never, _):
      (crossing, crossingWithheld) = (.silent, .authorization)
      stateRequest = .unknown(.authorization)
    case (_, true):
      (crossing, crossingWithheld) = (.silent, .accuracy)
      stateRequest = .unknown(.accuracy)
    case (let reach, false) where isInUse || reach == .always:
      (crossing, crossingWithheld) = (.deliver, nil)
      stateRequest = .cached
    case (_, false):
      (crossing, crossingWithheld) = (standing == .provisionalAlways ? .hold : .drop, .notInUse)
      stateRequest = .unknown(.notInUse)
    }
  }

  /// How far a standing reaches under a profile, use and accuracy aside.
  private struct Grants {
    enum Reach {
      case never
      case inUse
      case whileAwake
      case always
    }

    let ranging: Reach
    let regions: Reach
    let rangingFailure: LocationErrorCode?
    let monitoringFailure: LocationErrorCode?

    init(profile: AuthorizationProfile, standing: AuthorizationStanding) {
      switch standing {
      case .notDetermined, .restricted:
        // No failure is documented for these: silence, and the registration is kept.
        (ranging, regions) = (.never, .never)
        (rangingFailure, monitoringFailure) = (nil, nil)
      case .denied:
        (ranging, regions) = (.never, .never)
        (rangingFailure, monitoringFailure) = (.denied, .regionMonitoringDenied)
      case .servicesOff:
        // Row R16 names disabled location services for code 16; monitoring has no such code.
        (ranging, regions) = (.never, .never)
        (rangingFailure, monitoringFailure) = (.rangingUnavailable, .regionMonitoringDenied)
      case .whenInUse:
        let hasRegions = profile != .iOS12
        (ranging, regions) = (.inUse, hasRegions ? .inUse : .never)
        (rangingFailure, monitoringFailure) = (nil, hasRegions ? nil : .regionMonitoringDenied)
      case .provisionalAlways:
        (ranging, regions) = (.inUse, .inUse)
        (rangingFailure, monitoringFailure) = (nil, nil)
      case .always:
        (ranging, regions) = (profile == .iOS12 ? .whileAwake : .always, .always)
        (rangingFailure, monitoringFailure) = (nil, nil)
      }
    }
  }
}
