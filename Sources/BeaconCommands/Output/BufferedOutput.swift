// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Collects output and writes it in blocks, or at once where somebody waits for each line.
package final class BufferedOutput {
  /// What is not yet written; formatters append to it.
  package var pending: [UInt8] = []
  private let sink: any ByteSink
  private let blockSize: Int

  /// 64 KiB: the capacity of a pipe, so that a reader is woken once a pipeful.
  package static let blockSize = 65_536

  package init(_ sink: any ByteSink, blockSize: Int = BufferedOutput.blockSize) {
    self.sink = sink
    self.blockSize = blockSize
    pending.reserveCapacity(blockSize + 4096)
  }

  /// Whether a person looks at the output as it comes.
  package var isTerminal: Bool { sink.isTerminal }

  /// Writes what is pending if it fills a block.
  package func flushIfFull() throws {
    if pending.count >= blockSize { try flush() }
  }

  /// Writes what is pending.
  package func flush() throws {
    guard !pending.isEmpty else { return }
    // Given up before it is written: what failed to be written once is not written twice.
    let bytes = pending
    pending.removeAll(keepingCapacity: true)
    try sink.write(bytes)
  }

  /// Appends text.
  package func append(_ text: String) {
    pending.append(contentsOf: text.utf8)
  }
}
