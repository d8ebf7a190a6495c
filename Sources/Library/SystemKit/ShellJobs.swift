// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Runs a shell command for each of several jobs: a few at a time, each for a limited time, the others in a bounded queue.
///
/// It has no thread and no clock: ``update(at:)`` starts, ends and reaps processes, and never waits.
package struct ShellJobs {
  /// One run of the command.
  package struct Job: Sendable, Equatable {
    /// Its purpose, as messages name it.
    package let name: String
    /// The variables that it gets.
    package let variables: [String: String]

    /// Creates a job.
    package init(_ name: String, _ variables: [String: String]) {
      self.name = name
      self.variables = variables
    }
  }

  /// Why a job failed.
  package enum Failure: Sendable, Equatable {
    /// It ended with another exit code than 0.
    case exited(Int32)
    /// A signal ended it.
    case signaled(Int32)
    /// It took too long and was killed.
    case tookTooLong
    /// It could not be started.
    case notStarted(SystemError)
  }

  private struct Running {
    let job: Job
    let process: ChildProcess
    let started: Duration
    /// How the shell ended; processes that it started in the background may still run.
    var ending: ChildProcess.Ending?
    var isKilled = false
  }

  /// How many run at a time.
  package static let limit = 4
  /// How many wait; further ones are dropped.
  package static let capacity = 100
  /// How long one may run.
  package static let longest = Duration.seconds(30)

  private let command: String
  private var waiting: [Job] = []
  private var running: [Running] = []
  /// How many jobs were dropped since the last call of ``drainDropped()``.
  private var dropped = 0

  /// Creates the jobs of a command.
  package init(_ command: String) {
    self.command = command
  }

  /// Whether the list is empty.
  package var isIdle: Bool { waiting.isEmpty && running.isEmpty }
  /// Whether the next job would be dropped.
  package var isFull: Bool { waiting.count >= Self.capacity }
  /// How many run now.
  package var runningCount: Int { running.count }

  /// Adds a job; it starts with the next update.
  package mutating func add(_ job: Job) {
    guard !isFull else {
      dropped += 1
      return
    }
    waiting.append(job)
  }

  /// Returns how many jobs were dropped since the last call.
  package mutating func drainDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// Reaps ended jobs, kills those that took too long, with their process groups, and starts waiting ones.
  ///
  /// A job has ended when no process of its group is left, so that those in its background count as well.
  ///
  /// - Parameter now: The time since any fixed point.
  /// - Returns: The failures since the last call, with the names of the jobs.
  package mutating func update(at now: Duration) -> [(name: String, failure: Failure)] {
    var failures: [(name: String, failure: Failure)] = []
    var left: [Running] = []
    for var one in running {
      one.ending = one.ending ?? one.process.ending()
      if let ending = one.ending, one.isKilled || !one.process.hasGroup {
        if let failure = Self.failure(ending, one) { failures.append((one.job.name, failure)) }
        continue
      }
      if !one.isKilled, now - one.started >= Self.longest {
        one.process.signalGroup(SIGKILL)
        one.isKilled = true
      }
      left.append(one)
    }
    running = left
    while running.count < Self.limit, !waiting.isEmpty {
      let job = waiting.removeFirst()
      do throws(SystemError) {
        let variables = job.variables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let process = try ChildProcess(shell: command, adding: variables)
        running.append(Running(job: job, process: process, started: now))
      } catch {
        failures.append((job.name, .notStarted(error)))
      }
    }
    return failures
  }

  /// Drops waiting jobs, and asks running ones to end, or kills them.
  package mutating func stop(killing: Bool) {
    waiting = []
    for index in running.indices {
      running[index].process.signalGroup(killing ? SIGKILL : SIGTERM)
    }
  }

  private static func failure(_ ending: ChildProcess.Ending, _ one: Running) -> Failure? {
    if one.isKilled { return .tookTooLong }
    return switch ending {
    case .exited(0): nil
    case .exited(let code): .exited(code)
    case .signaled(let signal): .signaled(signal)
    }
  }
}

extension ShellJobs.Failure: CustomStringConvertible {
  /// What happened, as part of a sentence.
  package var description: String {
    switch self {
    case .exited(let code): "ended with exit code \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    case .tookTooLong: "took more than \(ShellJobs.longest.components.seconds) s and was killed"
    case .notStarted(let error): "did not start: \(error)"
    }
  }
}
