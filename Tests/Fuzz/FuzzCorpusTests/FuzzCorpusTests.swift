// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import FuzzSurfaces
import Testing

/// Replays what fuzzing found worth keeping; an input that trapped once stays here for good.
@Suite struct FuzzCorpusTests {
  @Test(arguments: FuzzSurface.allCases)
  func `every input of the corpus is consumed`(_ surface: FuzzSurface) throws {
    let folder = ProjectFiles.fixtures.appending(path: "corpus/\(surface.rawValue)")
    let inputs = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    #expect(!inputs.isEmpty, "a surface without a corpus: \(folder.path)")
    for input in inputs.sorted(by: { $0.path < $1.path }) {
      surface.consume([UInt8](try Data(contentsOf: input)))
    }
  }

  @Test func `every corpus belongs to a surface`() throws {
    let corpora = try FileManager.default.contentsOfDirectory(
      at: ProjectFiles.fixtures.appending(path: "corpus"),
      includingPropertiesForKeys: [.isDirectoryKey]
    )
    for corpus in corpora
    where try corpus.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
      #expect(FuzzSurface(rawValue: corpus.lastPathComponent) != nil, "no surface: \(corpus.path)")
    }
  }
}
