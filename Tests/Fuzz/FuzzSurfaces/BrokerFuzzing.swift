// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconGateway

/// Messages that any account with write access to a broker sends: each is used or counted under a reason.
///
/// The first line is the topic; the messages of one input are parted by a byte 0.
enum BrokerFuzzing {
  static func consume(_ bytes: [UInt8]) {
    guard let home = TopicName("home") else { return }
    let start = Timestamp(microseconds: 1_700_000_000_000_000)
    var site = SiteReception(home, at: start)
    var given = 0
    for message in bytes.split(separator: 0).prefix(8) {
      let parts = message.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
      guard let topic = parts.first else { continue }
      let now = start + .seconds(Int64(given))
      site.receive(
        String(decoding: topic, as: UTF8.self),
        parts.count > 1 ? Array(parts[1]) : [],
        isRetained: given % 3 == 2,
        at: now
      )
      given += 1
    }
    precondition(site.used + site.faults.total == given, "a message is neither used nor counted")
    var last = Timestamp.earliest
    for second in 0..<20 {
      let batch = site.drain(at: start + .seconds(Int64(second)))
      for input in batch.inputs {
        precondition(input.time >= last, "inputs go back in time")
        last = input.time
        if case .level(let level) = input {
          precondition(batch.reading(of: level).identity != nil)
          precondition(Int(level.receiver) < site.receiverNames.count)
        }
      }
    }
    _ = RetainedStates.topics(in: bytes)
    _ = SpoolRecord.read(bytes, at: 0)
    _ = try? BrokerAddress(parsing: String(decoding: bytes.prefix(300), as: UTF8.self))
  }
}
