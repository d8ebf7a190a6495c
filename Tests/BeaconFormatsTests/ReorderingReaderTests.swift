// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@Suite struct ReorderingReaderTests {
  /// A reader of given batches of (second, payload byte).
  struct Script: ScanReader {
    var batches: [[(Double, UInt8)]]

    mutating func next() -> ScanBatch? {
      guard !batches.isEmpty else { return nil }
      var batch = ScanBatch()
      for (seconds, byte) in batches.removeFirst() {
        let time = Timestamp(microseconds: 0) + TimeSpan(seconds: seconds)
        batch.append(
          AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0),
          payload: [byte]
        )
      }
      return batch
    }
  }

  static func merged(
    _ scripts: [Script],
    receivers: ReorderingReader.Receivers = .shared,
    window: TimeSpan = .seconds(2),
    limit: Int = 100
  ) throws -> (bytes: [UInt8], receivers: [UInt8], origins: [ReceiverOrigin]) {
    var reader = ReorderingReader(scripts, receivers: receivers, window: window, limit: limit)
    var bytes: [UInt8] = []
    var numbers: [UInt8] = []
    while let batch = try reader.next() {
      for case .report(let report) in batch.inputs {
        bytes += batch.payload(of: report)
        numbers.append(report.receiver)
      }
    }
    return (bytes, numbers, reader.receiverOrigins)
  }

  @Test func `two captures become one in order of time`() throws {
    let first = Script(batches: [[(1, 1), (3, 3)], [(5, 5), (50, 50)]])
    let second = Script(batches: [[(2, 2)], [(4, 4)], [(6, 6), (7, 7), (60, 60)]])
    #expect(try Self.merged([first, second]).bytes == [1, 2, 3, 4, 5, 6, 7, 50, 60])
  }

  @Test func `records slightly out of order are sorted`() throws {
    let script = Script(batches: [[(1, 1), (2.5, 3)], [(1.5, 2), (9, 9)]])
    #expect(try Self.merged([script]).bytes == [1, 2, 3, 9])
  }

  @Test func `an input later than the window stays out of order`() throws {
    let script = Script(batches: [[(1, 1), (10, 10)], [(2, 2), (20, 20)]])
    #expect(try Self.merged([script]).bytes == [1, 2, 10, 20])
    let late = Script(batches: [[(1, 1), (5, 5), (10, 10)], [(2, 2), (20, 20)]])
    #expect(try Self.merged([late]).bytes == [1, 5, 2, 10, 20])
  }

  @Test func `no more than the limit waits`() throws {
    let script = Script(batches: [[(1.2, 3), (1.1, 2), (1.3, 4)], [(1, 1)]])
    #expect(try Self.merged([script], limit: 2).bytes == [2, 1, 3, 4])
  }

  @Test func `at one time the readers' order decides`() throws {
    let first = Script(batches: [[(1, 1), (1, 2)]])
    let second = Script(batches: [[(1, 3), (1, 4)]])
    #expect(try Self.merged([first, second]).bytes == [1, 2, 3, 4])
  }

  @Test func `receivers of different captures are distinguished`() throws {
    let first = Script(batches: [[(2, 2)]])
    let second = Script(batches: [[(1, 1)]])
    let merged = try Self.merged([first, second], receivers: .distinct)
    #expect(merged.bytes == [1, 2])
    // Numbers follow the order in which receivers occur, which is the order of the readers.
    #expect(merged.receivers == [1, 0])
    #expect(merged.origins == [.init(reader: 0, receiver: 0), .init(reader: 1, receiver: 0)])
  }

  @Test func `how batches are cut does not matter`() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<50 {
      var times: [[(Double, UInt8)]] = []
      for reader in 0..<3 {
        times.append(
          (0..<200).map { step in
            let jitter = Double.random(in: -0.9...0.9, using: &random)
            return (Double(step) + 1 + jitter, UInt8(reader * 80 + step % 80))
          }
        )
      }
      func cut() -> [Script] {
        times.map { rows in
          var batches: [[(Double, UInt8)]] = []
          var rest = rows[...]
          while !rest.isEmpty {
            let size = Int.random(in: 1...40, using: &random)
            batches.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
          }
          return Script(batches: batches)
        }
      }
      let sorted = times.joined().sorted { $0.0 < $1.0 }.map { $0.1 }
      #expect(try Self.merged(cut(), limit: 10_000).bytes == sorted)
      #expect(try Self.merged(cut(), limit: 10_000).bytes == sorted)
    }
  }

  @Test func `empty readers and no readers give no input`() throws {
    #expect(try Self.merged([]).bytes.isEmpty)
    #expect(try Self.merged([Script(batches: []), Script(batches: [[(1, 1)]])]).bytes == [1])
  }
}
