// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The inputs that an entry of a timeline can name.
enum ScenarioInputKind: String, CaseIterable {
  // Radio inputs.
  case report, raw, radio, gap
  // User actions.
  case answer, settings, services, restriction, foreground, background, screenOn, quiet
  case tapNotification
  // Requests of a program.
  case requestWhenInUse = "request.whenInUse"
  case requestAlways = "request.always"
  case requestTemporaryFull = "request.temporaryFull"
  case monitor, unmonitor, range, unrange, requestState
  case sessionStart = "session.start"
  case sessionStop = "session.stop"
  case notify, relaunch, terminate
}
