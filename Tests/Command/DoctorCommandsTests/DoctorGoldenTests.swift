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
