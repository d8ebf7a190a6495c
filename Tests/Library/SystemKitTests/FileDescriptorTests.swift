// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Glibc
import SystemKit
import Testing

/// The errors of files, and the end of a waiting read.
@Suite(.timeLimit(.minutes(1))) struct FileDescriptorTests {
  /// A pipe to which nobody writes, open at both ends while a closure runs.
  private func withSilentPipe(_ body: (String) throws -> Void) throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { _ = close(end) } }
    try body("/proc/self/fd/\(ends[0])")
  }

  @Test func `a call that a signal interrupts is made again`() throws {
    var calls = 0
    try SystemError.check(.write, "air.jsonl") {
      calls += 1
      errno = calls < 3 ? EINTR : ENOSPC
      return calls < 3 ? -1 : 0
    }
    #expect(calls == 3)
    #expect(throws: SystemError(ENOSPC, .write, "air.jsonl")) {
      try SystemError.check(.write, "air.jsonl") {
        calls += 1
        errno = calls < 6 ? EINTR : ENOSPC
        return -1
      }
    }
    #expect(calls == 6)
  }

  @Test func `an error keeps the number of its call, whatever is called after it`() throws {
    try withSilentPipe { path in
      let file = try FileDescriptor(reading: path)
      var bytes: [UInt8] = []
      #expect(throws: SystemError(EINTR, .read, path)) {
        try file.read(upTo: 1, into: &bytes) {
          errno = ENOENT
          return true
        }
      }
    }
  }

  @Test func `a signal between the check and the wait ends the wait too`() throws {
    try withSilentPipe { path in
      let file = try FileDescriptor(reading: path)
      var bytes: [UInt8] = []
      var questions = 0
      #expect(throws: SystemError(EINTR, .read, path)) {
        try file.read(upTo: 1, into: &bytes) {
          // The signal comes right after the first check, when there is no wait that it could interrupt.
          questions += 1
          return questions > 1
        }
      }
    }
  }

  @Test func `an error has a kind and any subject`() {
    #expect(throws: SystemError(ENOENT, .open, "/nowhere/write me")) {
      _ = try FileDescriptor(reading: "/nowhere/write me")
    }
    #expect(throws: SystemError(ENOENT, .write, "/nowhere/file")) {
      _ = try FileDescriptor(creating: "/nowhere/file")
    }
    #expect(
      SystemError(ENOSPC, .write, "a b").description == "cannot write a b: No space left on device"
    )
  }
}
