// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An HCI command that changes whether an adapter reports advertisements.
struct HostScanCommand: Sendable, Equatable {
  enum Effect: Sendable, Equatable {
    /// The adapter no longer scans, and has its first event masks again.
    case reset
    /// A scan starts, or ends if it is `nil`.
    case scan(ScanWatch.Scan?)
    /// Which advertisers the next scans of one generation report.
    case reach(isExtended: Bool, ScanWatch.Reach)
    /// Whether events of Low Energy are reported at all.
    case eventMask(Bool)
    /// Whether legacy and extended reports are among the events of Low Energy.
    case lowEnergyEventMask(legacy: Bool, extended: Bool)
  }

  private enum Opcode {
    static let setEventMask: UInt16 = 0x0C01
    static let reset: UInt16 = 0x0C03
    static let setLowEnergyEventMask: UInt16 = 0x2001
    static let setScanParameters: UInt16 = 0x200B
    static let setScanEnable: UInt16 = 0x200C
    static let setExtendedScanParameters: UInt16 = 0x2041
    static let setExtendedScanEnable: UInt16 = 0x2042
    /// LE Receiver Test and LE Transmitter Test of all versions, and Enable Device Under Test Mode: a radio that is tested
    /// does not scan until a scan is enabled again.
    static let tests: [UInt16] = [
      0x201D, 0x2033, 0x204F, 0x201E, 0x2034, 0x2050, 0x207B, 0x1803,
    ]
  }

  let opcode: UInt16
  let effect: Effect

  /// Reads a command: its opcode, the count of its parameters, the parameters; `nil` if it is another one or cut.
  init?(_ block: borrowing Span<UInt8>, in range: Range<Int>) {
    guard range.lowerBound >= 0, range.upperBound <= block.count, range.count >= 3 else {
      return nil
    }
    let parameters = range.lowerBound + 3..<range.upperBound
    let start = parameters.lowerBound
    opcode = block.littleEndian16(at: range.lowerBound)
    switch opcode {
    case Opcode.reset: effect = .reset
    case _ where Opcode.tests.contains(opcode): effect = .scan(nil)
    case Opcode.setScanParameters:
      guard parameters.count >= 7 else { return nil }
      effect = .reach(isExtended: false, ScanWatch.Reach(policy: block[start + 6]))
    case Opcode.setExtendedScanParameters:
      guard parameters.count >= 3 else { return nil }
      let reach = ScanWatch.Reach(policy: block[start + 1], channels: block[start + 2])
      effect = .reach(isExtended: true, reach)
    case Opcode.setScanEnable:
      guard parameters.count >= 1 else { return nil }
      effect = .scan(block[start] == 0 ? nil : ScanWatch.Scan(isExtended: false))
    case Opcode.setExtendedScanEnable:
      guard parameters.count >= 6 else { return nil }
      var scan = ScanWatch.Scan(isExtended: true)
      let (duration, period) = (
        TimeSpan.milliseconds(10 * Int64(block.littleEndian16(at: start + 2))),
        TimeSpan.milliseconds(1280 * Int64(block.littleEndian16(at: start + 4)))
      )
      // A scan that starts again after a short pause continues.
      if duration > .zero, period == .zero || period - duration >= ScanWatch.shortestPause {
        scan.duration = duration
        scan.period = period == .zero ? nil : period
      }
      effect = .scan(block[start] == 0 ? nil : scan)
    case Opcode.setEventMask:
      guard parameters.count >= 8 else { return nil }
      // Bit 61: the meta event of Low Energy.
      effect = .eventMask(block[start + 7] & 0x20 != 0)
    case Opcode.setLowEnergyEventMask:
      guard parameters.count >= 8 else { return nil }
      // The bit of a subevent is one less than its number: advertising reports 0x02, extended ones 0x0D.
      effect = .lowEnergyEventMask(
        legacy: block[start] & 0x02 != 0,
        extended: block[start + 1] & 0x10 != 0
      )
    default: return nil
    }
  }
}

/// An HCI event that is the answer to a command, or ends a scan.
enum ScanEvent: Sendable, Equatable {
  /// A command was carried out, or refused.
  case answered(opcode: UInt16, isDone: Bool)
  /// A scan with a duration ended.
  case scanTimeout
  /// The controller failed.
  case hardwareError

  private enum Code {
    static let commandComplete: UInt8 = 0x0E
    static let commandStatus: UInt8 = 0x0F
    static let hardwareError: UInt8 = 0x10
    static let lowEnergyMeta: UInt8 = 0x3E
    static let scanTimeout: UInt8 = 0x11
  }

  /// Reads an event: its code, the count of its parameters, the parameters; `nil` if it is another one or cut.
  init?(_ block: borrowing Span<UInt8>, in range: Range<Int>) {
    guard range.lowerBound >= 0, range.upperBound <= block.count, range.count >= 3 else {
      return nil
    }
    let start = range.lowerBound
    switch block[start] {
    case Code.commandComplete where range.count >= 6:
      self = .answered(opcode: block.littleEndian16(at: start + 3), isDone: block[start + 5] == 0)
    // A status of 0 is not the end of a command.
    case Code.commandStatus where range.count >= 6 && block[start + 2] != 0:
      self = .answered(opcode: block.littleEndian16(at: start + 4), isDone: false)
    case Code.hardwareError: self = .hardwareError
    case Code.lowEnergyMeta where block[start + 2] == Code.scanTimeout: self = .scanTimeout
    default: return nil
    }
  }
}
