// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CBluetooth
internal import Glibc

/// A classic BPF program that the kernel runs for each packet of a Bluetooth channel before it wakes the reader.
///
/// Dropped packets cost the reader nothing and take no room in the socket's buffer. A load beyond the packet's end ends
/// the program and drops the packet.
package struct ChannelFilter: Sendable {
  /// One instruction: its operation, how many instructions to skip if its test is true and if it is false, and its
  /// operand.
  private struct Instruction: Sendable {
    let code: UInt16
    let ifTrue: UInt8
    let ifFalse: UInt8
    let operand: UInt32
  }

  private let program: [Instruction]

  private static let loadByte: UInt16 = 0x30  // BPF_LD | BPF_B | BPF_ABS
  private static let jumpIfEqual: UInt16 = 0x15  // BPF_JMP | BPF_JEQ | BPF_K
  private static let returnConstant: UInt16 = 0x06  // BPF_RET | BPF_K
  /// `SO_ATTACH_FILTER`, a macro that Swift does not import; the same on all of Linux.
  private static let attachFilter: Int32 = 26
  /// The number of bytes to keep of a packet: all of them.
  private static let everything: UInt32 = 0x0FFF_FFFF

  // BPF would load half-words as big-endian, so the program loads single bytes; all opcodes and subevents fit in the
  // low byte.
  private static let opcodeLow: UInt32 = 0
  private static let opcodeHigh: UInt32 = 1
  private static let eventCode: UInt32 = 6
  private static let subevent: UInt32 = 8

  /// For the monitor channel: advertising reports, commands that start or end a scan, and packets about the adapters themselves, without
  /// a busy host's other traffic, such as a headset's.
  package static let reports = ChannelFilter(program: [
    load(opcodeHigh),
    equals(0, ifFalse: 20),
    load(opcodeLow),
    equals(UInt32(MonitorFrame.Opcode.event), ifFalse: 5),
    load(eventCode),
    equals(0x3E, ifFalse: 16),
    load(subevent),
    equals(0x02, ifTrue: 13),
    equals(0x0D, ifTrue: 12, ifFalse: 13),
    equals(UInt32(MonitorFrame.Opcode.command), ifFalse: 5),
    // The command's opcode, its low byte first.
    load(7),
    equals(0x20, ifFalse: 10),
    load(6),
    equals(0x0C, ifTrue: 7),
    equals(0x42, ifTrue: 6, ifFalse: 7),
    equals(UInt32(MonitorFrame.Opcode.newIndex), ifTrue: 5),
    equals(UInt32(MonitorFrame.Opcode.deletedIndex), ifTrue: 4),
    equals(UInt32(MonitorFrame.Opcode.openIndex), ifTrue: 3),
    equals(UInt32(MonitorFrame.Opcode.closeIndex), ifTrue: 2),
    equals(UInt32(MonitorFrame.Opcode.indexInfo), ifTrue: 1),
    equals(UInt32(MonitorFrame.Opcode.systemNote), ifFalse: 1),
    keepPacket,
    dropPacket,
  ])

  /// For the monitor channel: the commands that ``AdvertisingCommand`` reads.
  package static let advertising = ChannelFilter(program: [
    load(opcodeHigh),
    equals(0, ifFalse: 7),
    load(opcodeLow),
    equals(UInt32(AdvertisingCommand.commandOpcode), ifFalse: 5),
    // The command's opcode, its low byte first.
    load(7),
    equals(UInt32(AdvertisingCommand.setParameters >> 8), ifFalse: 3),
    load(6),
    equals(UInt32(AdvertisingCommand.setParameters & 0xFF), ifTrue: 2),
    equals(UInt32(AdvertisingCommand.setExtendedParameters & 0xFF), ifTrue: 1),
    dropPacket,
    keepPacket,
  ])

  /// For the control channel: the messages that ``ManagementMessage`` reads.
  ///
  /// The kernel copies each report of every scan to each of these sockets. Unfiltered, they fill the buffer of one that is
  /// not read yet, and the kernel then drops the answers to its commands.
  package static let answers = ChannelFilter(program: [
    load(opcodeHigh),
    equals(0, ifFalse: 6),
    load(opcodeLow),
    equals(UInt32(ManagementMessage.commandComplete), ifTrue: 5),
    equals(UInt32(ManagementMessage.commandStatus), ifTrue: 4),
    equals(UInt32(ManagementMessage.discovering), ifTrue: 3),
    equals(UInt32(ManagementMessage.advertisingRemoved), ifTrue: 2),
    equals(UInt32(ManagementMessage.monitorRemoved), ifTrue: 1),
    dropPacket,
    keepPacket,
  ])

  private static let dropPacket = Instruction(
    code: returnConstant,
    ifTrue: 0,
    ifFalse: 0,
    operand: 0
  )
  private static let keepPacket = Instruction(
    code: returnConstant,
    ifTrue: 0,
    ifFalse: 0,
    operand: everything
  )

  private static func load(_ offset: UInt32) -> Instruction {
    Instruction(code: loadByte, ifTrue: 0, ifFalse: 0, operand: offset)
  }

  private static func equals(
    _ value: UInt32,
    ifTrue: UInt8 = 0,
    ifFalse: UInt8 = 0
  ) -> Instruction {
    Instruction(code: jumpIfEqual, ifTrue: ifTrue, ifFalse: ifFalse, operand: value)
  }

  /// Sets the filter of a socket.
  ///
  /// A refusal is not an error: the socket then gets more than its reader needs, and the reader ignores it.
  package func attach(to descriptor: Int32) {
    var program = program.map {
      sock_filter(code: $0.code, jt: $0.ifTrue, jf: $0.ifFalse, k: $0.operand)
    }
    unsafe program.withUnsafeMutableBufferPointer { instructions in
      var filter = unsafe sock_fprog(
        len: UInt16(clamping: instructions.count),
        filter: instructions.baseAddress
      )
      let size = socklen_t(unsafe MemoryLayout<sock_fprog>.size)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, Self.attachFilter, &filter, size)
    }
  }
}
