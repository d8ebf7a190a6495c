// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Beacons

/// The beacons of a capture, a stream each.
struct Recording {
  let name: String
  private(set) var samples: [StreamSample] = []
  /// The power by stream that the beacon announces.
  private(set) var powers: [Double] = []

  /// Reads a capture of any format; a beacon without a power at one meter has no distance and is left out.
  init(_ path: String) throws {
    name = path
    var reader = try CaptureReader(FileByteSource(path: path))
    var streams: [BeaconIdentity: Int] = [:]
    let calibration = Calibration()
    while let batch = try reader.next() {
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
        }
        samples.append(StreamSample(time: report.time, stream: stream, rssi: rssi))
      }
    }
    samples.sort { ($0.time, $0.stream) < ($1.time, $1.stream) }
  }
}
