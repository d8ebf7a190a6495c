// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import BeaconTesting
import Foundation
import SystemKit
import Testing

@testable import Beacons

/// A file that cannot be opened for want of descriptors is unknown: neither denied nor off, neither free nor taken. Row P17.
///
/// Each test has a separate process, whose limit of open files it lowers.
@Suite(.timeLimit(.minutes(1)))
struct ShortageTests {
  @Test func `grants and a switch that cannot be opened are unknown`() async {
    await #expect(processExitsWith: .success) {
      let folder = StoreFolder()
      try folder.set(.always)
      var notes: [ClientDiagnostic] = []
      withoutDescriptors {
        #expect(throws: SystemError.self) {
          _ = try folder.store.readGrants(of: "guide", notes: &notes)
        }
        // A file that does not exist is known to be absent all the same.
        #expect((try? folder.store.readSwitches(notes: &notes)) == true)
        #expect((try? folder.store.readGrants(of: "other", notes: &notes))?.grant == .notDetermined)
      }
      try folder.store.setServices(on: true)
      withoutDescriptors {
        #expect(throws: SystemError.self) { _ = try folder.store.readSwitches(notes: &notes) }
        #expect(throws: SystemError.self) { _ = try folder.store.knownClients() }
      }
      #expect(notes.isEmpty)
    }
  }

  @Test func `a running client keeps its grants until the changed ones can be read`() async {
    await #expect(processExitsWith: .success) {
      let folder = StoreFolder()
      try folder.set(.always)
      let files = ClientFiles("guide", in: folder.store)
      let contents = try await files.open()
      #expect(contents.grants?.grant == .always)
      try folder.set(.denied)
      withoutDescriptors {
        #expect(files.lookNow().isEmpty)
        #expect(files.lookNow().isEmpty)
      }
      // The user learns it once.
      #expect(files.drainNotes().count == 1)
      #expect(!files.lookNow().isEmpty)
      #expect(files.lookNow().isEmpty)
    }
  }

  @Test func `a client is neither opened nor taken for another program's`() async {
    await #expect(processExitsWith: .success) {
      let folder = StoreFolder()
      try folder.set(.always)
      withoutDescriptors {
        #expect(throws: OutputRefusal.self) { _ = try folder.store.lease(of: "guide") }
        #expect(throws: (any Error).self) { try folder.set(.denied) }
        #expect(throws: (any Error).self) { _ = try folder.store.forget("guide") }
      }
      #expect(folder.grants().0.grant == .always)
    }
  }

  @Test func `a lock is neither taken nor free`() async {
    await #expect(processExitsWith: .success) {
      let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID())").path
      let lock = try FileLock(path)
      withoutDescriptors {
        #expect(throws: OutputRefusal.self) { _ = try FileLock(path) }
        #expect(throws: OutputRefusal.self) { _ = try FileLock.isHeld(path) }
      }
      #expect(lock != nil)
    }
  }

  @Test func `files for others leave the last descriptors to the process`() async {
    await #expect(processExitsWith: .success) {
      #expect(FileDescriptor.hasRoom(leaving: 8))
      #expect(!FileDescriptor.hasRoom(leaving: FileDescriptor.limit))
      withoutDescriptors { #expect(!FileDescriptor.hasRoom(leaving: 0)) }
    }
  }
}
