// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a program asks for, by the names of scenario files.
extension ClientRequest: FormedCases {
  package static var caseKey: String { "request" }

  package static let cases: [FormCase<ClientRequest>] = [
    FormCase("request.whenInUse", .authorize(.whenInUse)),
    FormCase("request.always", .authorize(.always)),
    FormCase("request.temporaryFull", { .authorize(.temporaryFull(purpose: $0)) }, "purpose") {
      if case .authorize(.temporaryFull(let purpose)) = $0 { purpose } else { nil }
    },
    FormCase("monitor", ClientRequest.monitor, "", "assuming") {
      if case .monitor(let region, let state) = $0 { (region, state) } else { nil }
    },
    FormCase("unmonitor", ClientRequest.stopMonitoring, "region") {
      if case .stopMonitoring(let region) = $0 { region } else { nil }
    },
    FormCase("range", ClientRequest.range, "constraint", "whileInside") {
      if case .range(let constraint, let region) = $0 { (constraint, region) } else { nil }
    },
    FormCase("unrange", ClientRequest.stopRanging, "constraint") {
      if case .stopRanging(let constraint) = $0 { constraint } else { nil }
    },
    FormCase("requestState", ClientRequest.requestState, "region") {
      if case .requestState(let region) = $0 { region } else { nil }
    },
    FormCase("session.start", .authorize(.startSession)),
    FormCase("session.stop", .authorize(.stopSession)),
    FormCase("notify", ClientRequest.notify, "") {
      if case .notify(let notification) = $0 { notification } else { nil }
    },
    FormCase("unnotify", ClientRequest.stopNotifying, "region") {
      if case .stopNotifying(let region) = $0 { region } else { nil }
    },
    FormCase("service.begin", { .authorize(.beginService($0)) }, "") {
      if case .authorize(.beginService(let session)) = $0 { session } else { nil }
    },
    FormCase("service.end", { .authorize(.endService(id: $0)) }, "number") {
      if case .authorize(.endService(let number)) = $0 { number } else { nil }
    },
  ]
}
