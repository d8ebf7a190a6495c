// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons

/// The beacons of a capture, one stream for each.
struct Recording {
  let name: String
  private(set) var samples: [StreamSample] = []
  /// The power by stream that the beacon announces.
  private(set) var powers: [Double] = []
  /// The beacon by stream.
  private(set) var identities: [BeaconIdentity] = []
  /// The estimate that counts as the truth.
  private(set) var levels = TwoWayLevels([], streams: 0)
  /// All inputs, for an engine.
  private(set) var batches: [ScanBatch] = []

  /// Reads a capture of any format; a beacon without a power at one meter has no distance and is left out.
  init(_ path: String) throws {
    name = path
    var reader = try CaptureReader(FileByteSource(path: path))
    var streams: [BeaconIdentity: Int] = [:]
    let calibration = Calibration()
    while let batch = try reader.next() {
      batches.append(batch)
      let bytes = batch.bytes.span
      for input in batch.inputs {
        guard case .report(let report) = input, let rssi = report.rssi else { continue }
        let start = Int(report.payloadStart)
        let reading = BeaconDecoder.read(
          advertisingData: bytes,
          in: start..<start + Int(report.payloadCount)
        )
        guard case .beacon(let identity, let announced) = reading,
          let power = calibration.power(for: identity, announced: announced)
        else { continue }
        let stream = streams[identity] ?? powers.count
        if stream == powers.count {
          streams[identity] = stream
          powers.append(power)
          identities.append(identity)
        }
        samples.append(StreamSample(time: report.time, stream: stream, rssi: rssi))
      }
    }
    samples.sort { ($0.time, $0.stream) < ($1.time, $1.stream) }
    levels = TwoWayLevels(samples.map { ($0.time, $0.stream, $0.rssi) }, streams: powers.count)
  }

  /// Returns the exits that an engine delivers, with one region for each beacon.
  func exits(_ configuration: Configuration, zone: Zone?) -> FalseExits {
    FalseExits(
      batches,
      of: zip(identities, powers).map { (identity: $0, power: $1) },
      levels,
      configuration,
      zone: zone
    )
  }
}
