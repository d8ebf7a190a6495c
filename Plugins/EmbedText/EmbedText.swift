// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import PackagePlugin

/// Writes a module's scripts, styles, pages and phrase tables as one Swift file each time one of them changes.
@main
struct EmbedText: BuildToolPlugin {
  /// The endings of the files that are embedded.
  private static let kinds: Set = ["css", "html", "ini", "js", "json5"]

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target as? any SourceModuleTarget else { return [] }
    let texts = module.sourceFiles.map(\.url).filter { Self.kinds.contains($0.pathExtension) }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedText.swift")
    return [
      .buildCommand(
        displayName: "Embedding the texts of \(target.name)",
        executable: try context.tool(named: "EmbedTextTool").url,
        arguments: [output.path] + texts.map(\.path).sorted(),
        inputFiles: texts,
        outputFiles: [output]
      )
    ]
  }
}
