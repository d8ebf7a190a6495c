// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconTestSupport
import Testing
import BeaconFormats

@testable import DoctorCommands

@Suite struct DoctorGoldenTests {
  static let machines: [(String, @Sendable (inout Examination) -> Void)] = [
    ("well", { _ in }),
    (
      "filtered",
      {
        $0.survey.adapters[0].acceptsMonitors = false
        $0.scan = ReceptionMeasurementTests.filtered()
        $0.switches[0].isSoftBlocked = false
      }
    ),
    (
      "blocked",
      {
        $0.switches[0].isSoftBlocked = true
        $0.survey.adapters[0].isPowered = false
        $0.scan = nil
      }
    ),
    (
      "denied",
      {
        $0.isContained = true
        $0.account = 1000
        $0.sockets = .unsupported
        $0.kernelHasBluetooth = false
        ($0.controllers, $0.switches) = ([], [])
        $0.survey = BlueZSurvey(
          .failed(
            .error(
              name: "org.freedesktop.DBus.Error.AccessDenied",
              text: "Rejected send message, 1 matched rules; type=\"method_call\""
            )
          )
        )
        $0.scan = nil
      }
    ),
    (
      "bare",
      {
        $0.sockets = .unsupported
        $0.kernelHasBluetooth = false
        ($0.controllers, $0.switches) = ([], [])
        $0.survey = BlueZSurvey(.noBus("No such file or directory"))
        $0.scan = nil
      }
    ),
    (
      "stopped",
      {
        $0.survey = BlueZSurvey(.noService)
        $0.scan = nil
      }
    ),
  ]

  @Test(arguments: machines)
  func `findings of a machine`(
    _ name: String,
    _ change: @Sendable (inout Examination) -> Void
  ) throws {
    let examination = DiagnosisTests.examination(change)
    let diagnosis = Diagnosis(examination)
    let table = DiagnosisText.table(diagnosis, style: TextStyle(hasColor: false))
    try Golden.expect(String(decoding: table, as: UTF8.self), "doctor/\(name).txt")
    let json = DiagnosisText.json(diagnosis, examination)
    try Golden.expect(String(decoding: json, as: UTF8.self), "doctor/\(name).json")
  }
}
