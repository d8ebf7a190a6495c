// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The classic BPF program that the kernel runs for each packet of the monitor channel before it wakes the reader.
///
/// It passes advertising reports and packets about the adapters themselves, so a busy host's other traffic, such as a
/// headset's, costs nothing. A load beyond the packet's end ends the program and drops the packet.
package enum MonitorFilter {
  /// One instruction: its operation, how many instructions to skip if its test is true and if it is false, and its
  /// operand.
  package struct Instruction: Sendable, Equatable {
    package let code: UInt16
    package let ifTrue: UInt8
    package let ifFalse: UInt8
    package let operand: UInt32
  }

  private static let loadByte: UInt16 = 0x30  // BPF_LD | BPF_B | BPF_ABS
  private static let jumpIfEqual: UInt16 = 0x15  // BPF_JMP | BPF_JEQ | BPF_K
  private static let returnConstant: UInt16 = 0x06  // BPF_RET | BPF_K
  /// The number of bytes to keep of a packet: all of them.
  private static let everything: UInt32 = 0x0FFF_FFFF

  // BPF would load half-words as big-endian, so the program loads single bytes; all opcodes and subevents fit in the
  // low byte.
  private static let opcodeLow: UInt32 = 0
  private static let opcodeHigh: UInt32 = 1
  private static let eventCode: UInt32 = 6
  private static let subevent: UInt32 = 8

  /// The program.
  package static let program: [Instruction] = [
    load(opcodeHigh),
    equals(0, ifFalse: 14),
    load(opcodeLow),
    equals(UInt32(MonitorFrame.Opcode.event), ifFalse: 5),
    load(eventCode),
    equals(0x3E, ifFalse: 10),
    load(subevent),
    equals(0x02, ifTrue: 7),
    equals(0x0D, ifTrue: 6, ifFalse: 7),
    equals(UInt32(MonitorFrame.Opcode.newIndex), ifTrue: 5),
    equals(UInt32(MonitorFrame.Opcode.deletedIndex), ifTrue: 4),
    equals(UInt32(MonitorFrame.Opcode.openIndex), ifTrue: 3),
    equals(UInt32(MonitorFrame.Opcode.closeIndex), ifTrue: 2),
    equals(UInt32(MonitorFrame.Opcode.indexInfo), ifTrue: 1),
    equals(UInt32(MonitorFrame.Opcode.systemNote), ifFalse: 1),
    Instruction(code: returnConstant, ifTrue: 0, ifFalse: 0, operand: everything),
    Instruction(code: returnConstant, ifTrue: 0, ifFalse: 0, operand: 0),
  ]

  /// The program for the commands that ``AdvertisingCommand`` reads.
  package static let advertising: [Instruction] = [
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
    Instruction(code: returnConstant, ifTrue: 0, ifFalse: 0, operand: 0),
    Instruction(code: returnConstant, ifTrue: 0, ifFalse: 0, operand: everything),
  ]

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
}
