// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  static let authorizationConstants: [Constant] = [
    timeConstant(
      "inUse.grace",
      0...3600,
      "Apple says a few seconds: a glance at a notification does not lose Allow Once",
      \.grace
    ) { $0.grace = $1 },
    timeConstant(
      "inUse.wake",
      0...3600,
      "how long iOS 12 lets a client range that a region woke: the ten seconds Apple gives it to act",
      \.wake
    ) { $0.wake = $1 },
    timeConstant(
      "authorization.staleAge",
      0...86_400,
      "a held event is told if answered near its time: after five minutes a visitor has left the room",
      \.staleAge
    ) { $0.staleAge = $1 },
    timeConstant(
      "indicator.solid",
      0...3600,
      "outlasts a glance, and still lets single deliveries be told apart",
      \.solid
    ) { $0.solid = $1 },
    timeConstant(
      "appClip.morning",
      0...86_399,
      "from local midnight: at four nobody's evening still goes on",
      \.morning
    ) { $0.morning = $1 },
  ]

  /// The times as they are being changed; a timing itself is whole from the start.
  private struct Times {
    var grace, wake, staleAge, solid, morning: TimeSpan

    init(_ timing: AuthorizationTiming) {
      (grace, wake, staleAge) = (timing.grace, timing.wake, timing.staleAge)
      (solid, morning) = (timing.solid, timing.morning)
    }

    var timing: AuthorizationTiming {
      AuthorizationTiming(
        grace: grace,
        staleAge: staleAge,
        solid: solid,
        wake: wake,
        morning: morning
      )
    }
  }

  private static func timeConstant(
    _ key: String,
    _ bounds: ClosedRange<Double>,
    _ reason: String,
    _ path: any KeyPath<AuthorizationTiming, TimeSpan> & Sendable,
    _ change: @escaping @Sendable (inout Times, TimeSpan) -> Void
  ) -> Constant {
    Constant(
      key: key,
      kind: .seconds(bounds),
      reason: reason,
      read: { .number($0.authorization.timing[keyPath: path].seconds) },
      write: { configuration, value in
        guard case .number(let seconds) = value else { return }
        var times = Times(configuration.authorization.timing)
        change(&times, TimeSpan(seconds: seconds))
        configuration.authorization.timing = times.timing
      }
    )
  }
}
