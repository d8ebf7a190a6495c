// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation

/// Writes Swift source from text files.
///
/// It is called as `EmbedTextTool OUTPUT FILE…`. An error in a file fails the build.
#if !FUZZING
  @main
#endif
enum EmbedTextTool {
  static func main() throws {
    let paths = CommandLine.arguments.dropFirst()
    guard let output = paths.first else { exit(64) }
    do {
      let files = try paths.dropFirst().map { path in
        TextFile(path: path, text: try String(contentsOfFile: path, encoding: .utf8))
      }
      let source = Data(try source(of: files).utf8)
      // A file that is written again would be compiled again, with all that depends on it: debug and release builds share it.
      guard (try? Data(contentsOf: URL(filePath: output))) != source else { return }
      try source.write(to: URL(filePath: output))
    } catch let error as TextError {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  /// Returns the Swift source: an enumeration of the texts, one of the documents, and a type for each section of the phrase tables.
  static func source(of files: [TextFile]) throws(TextError) -> String {
    let documents = files.filter { $0.kind == "json5" }
    let texts = files.filter { !["ini", "json5"].contains($0.kind) }
    let tables = try PhraseTables(files.filter { $0.kind == "ini" })
    return Self.texts(texts, in: "Texts") + Self.texts(documents, in: "Documents") + tables.source
  }

  /// Returns the enumeration of some texts; nothing without texts.
  private static func texts(_ files: [TextFile], in enumeration: String) -> String {
    guard !files.isEmpty else { return "" }
    var source = "package enum \(enumeration) {\n"
    for file in files {
      source +=
        "  /// The contents of `\(file.name).\(file.kind)`, without the end of its last line.\n"
      source += "  package static let \(file.property) = \(literal(file.text))\n"
    }
    return source + "}\n"
  }

  /// Returns a text as a literal of several lines, without the end of its last line.
  static func literal(_ text: String) -> String {
    // More signs than the text contains after a quotation mark.
    var marks = "#"
    while text.contains("\"" + marks) || text.contains("\\" + marks) { marks += "#" }
    let body = text.hasSuffix("\n") ? text : text + "\n"
    return "\(marks)\"\"\"\n\(body)\"\"\"\(marks)"
  }
}

#if FUZZING
  /// Runs the tool: `tools/fuzz` links libFuzzer with each program of the build, and its `main` calls this function first.
  @_cdecl("LLVMFuzzerInitialize")
  public func runInsteadOfFuzzing(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt
  {
    let isDone: Void? = try? EmbedTextTool.main()
    exit(isDone == nil ? 1 : 0)
  }

  /// libFuzzer does not link without it.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzNothing(_ start: UnsafeRawPointer, _ count: Int) -> CInt { 0 }
#endif

/// A file whose text is embedded.
struct TextFile {
  var path: String
  var text: String

  /// The ending of the file's name.
  var kind: String { URL(filePath: path).pathExtension }
  /// The file's name without its ending.
  var name: String { URL(filePath: path).deletingPathExtension().lastPathComponent }

  /// The name of the text in Swift: `guideStyle` for `guide.css`.
  var property: String {
    let words = name.split(separator: "-").map(String.init)
    let kinds = ["css": "Style", "html": "Page", "js": "Script"]
    return (words.first ?? "") + words.dropFirst().map(\.capitalized).joined() + (kinds[kind] ?? "")
  }
}

/// An error in a line of a file, in the form of a compiler's.
struct TextError: Error, CustomStringConvertible {
  var path: String
  var line: Int
  var text: String

  var description: String { "\(path):\(line): error: \(text)" }
}
