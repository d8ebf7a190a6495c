// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import SystemKit
import Testing

/// Shell commands that are run a few at a time, with a time that the test gives.
@Suite(.timeLimit(.minutes(1))) struct ShellJobsTests {
  /// Updates at one time until nothing runs, and returns the failures.
  private func settle(
    _ jobs: inout ShellJobs,
    at time: Duration = .zero
  ) -> [(name: String, failure: ShellJobs.Failure)] {
    var failures: [(name: String, failure: ShellJobs.Failure)] = []
    while !jobs.isIdle { failures += jobs.update(at: time) }
    return failures
  }

  private func scratch() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func `the shell gets the facts as variables and never as its text`() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var jobs = ShellJobs("printf '%s' \"$BEACONS_REGION\" > '\(folder)'/out")
    let hostile = "x'; touch \(folder)/owned; $(touch \(folder)/owned) `id` \"\n\0"
    jobs.add(ShellJobs.Job("enter", ["BEACONS_REGION": hostile]))
    #expect(settle(&jobs).isEmpty)
    let written = try String(contentsOfFile: folder + "/out", encoding: .utf8)
    // No variable can have a NUL.
    #expect(written == String(hostile.dropLast()))
    #expect(!FileManager.default.fileExists(atPath: folder + "/owned"))
  }

  @Test func `a failure is named and ends nothing`() {
    var jobs = ShellJobs("test \"$N\" = 2 || exit \"$N\"; kill -TERM $$")
    for code in ["3", "0", "2"] { jobs.add(ShellJobs.Job("job \(code)", ["N": code])) }
    let failures = settle(&jobs).sorted { $0.name < $1.name }
    #expect(failures.map(\.name) == ["job 2", "job 3"])
    #expect(failures.map(\.failure) == [.signaled(15), .exited(3)])
  }

  @Test func `at most four run, the queue has an end, and what is too long is killed as a group`()
    throws
  {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The shell's own child holds the lock, so only the end of the whole group frees it.
    var jobs = ShellJobs("flock '\(folder)'/$N sleep 1000; true")
    for number in 0..<(ShellJobs.capacity + 7) {
      jobs.add(ShellJobs.Job("job \(number)", ["N": "\(number)"]))
    }
    #expect(jobs.isFull && jobs.drainDropped() == 7 && jobs.drainDropped() == 0)
    #expect(jobs.update(at: .zero).isEmpty)
    #expect(jobs.runningCount == ShellJobs.limit)
    // Until the commands run.
    while !(0..<4).allSatisfy({ FileManager.default.fileExists(atPath: "\(folder)/\($0)") }) {
      #expect(jobs.update(at: .seconds(29)).isEmpty)
    }
    var failures: [(name: String, failure: ShellJobs.Failure)] = []
    while failures.count < ShellJobs.limit { failures += jobs.update(at: .seconds(30)) }
    #expect(failures.allSatisfy { $0.failure == .tookTooLong })
    #expect(jobs.runningCount == ShellJobs.limit)
    for number in 0..<ShellJobs.limit {
      var free = ShellJobs("flock --wait 20 '\(folder)'/\(number) true")
      free.add(ShellJobs.Job("free", [:]))
      #expect(settle(&free).isEmpty)
    }
    jobs.stop(killing: true)
    #expect(settle(&jobs, at: .seconds(31)).count == ShellJobs.limit)
    #expect(ShellJobs.Failure.tookTooLong.description == "took more than 30 s and was killed")
  }

  @Test func `a job counts until its background has ended, and is killed with it`() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var jobs = ShellJobs("flock '\(folder)'/$N sleep 1000 & :")
    for number in 0..<(ShellJobs.limit + 2) {
      jobs.add(ShellJobs.Job("job \(number)", ["N": "\(number)"]))
    }
    while !(0..<4).allSatisfy({ FileManager.default.fileExists(atPath: "\(folder)/\($0)") }) {
      #expect(jobs.update(at: .zero).isEmpty)
    }
    for _ in 0..<20 { #expect(jobs.update(at: .seconds(29)).isEmpty) }
    #expect(jobs.runningCount == ShellJobs.limit)
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/4"))
    var failures: [(name: String, failure: ShellJobs.Failure)] = []
    while failures.count < ShellJobs.limit { failures += jobs.update(at: .seconds(30)) }
    #expect(failures.allSatisfy { $0.failure == .tookTooLong })
    jobs.stop(killing: true)
    _ = settle(&jobs, at: .seconds(61))
    // One that ends by itself does not fail.
    var short = ShellJobs("sleep 0.05 & :")
    short.add(ShellJobs.Job("short", [:]))
    #expect(settle(&short).isEmpty)
  }
}
