// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The public symbols of a module, read from its sources: types and globals by name, members after the name of their
/// type.
///
/// It understands only the Swift that this module uses: no subscripts, no `public extension`, no conditional
/// compilation.
struct PublicSymbols {
  /// The symbols' names, such as `CLMonitor.Event.State` and `CLMonitor.add(_:identifier:)`, without overrides.
  private(set) var names: Set<String> = []

  private struct Scope {
    let path: String
    let keyword: String
    let isPublic: Bool
  }

  private static let types: Set = ["class", "struct", "enum", "actor", "protocol", "extension"]
  private static let modifiers: Set = [
    "public", "open", "package", "internal", "fileprivate", "private", "final", "static", "class",
    "convenience", "required", "override", "weak", "nonisolated", "mutating", "indirect",
  ]

  private var tokens: ArraySlice<String> = []
  /// The open braces; `nil` stands for a brace that does not belong to a type.
  private var scopes: [Scope?] = []
  private var pending: Scope?
  private var modifiers: Set<String> = []

  /// Adds the symbols of a source file.
  mutating func add(_ source: String) {
    tokens = Self.tokens(of: source)[...]
    (scopes, pending, modifiers) = ([], nil, [])
    while let token = tokens.popFirst() { process(token) }
  }

  private mutating func process(_ token: String) {
    switch token {
    case "{":
      scopes.append(pending)
      pending = nil
    case "}": scopes.removeLast()
    case _ where scopes.contains(where: { $0 == nil }): break
    case "class" where tokens.first == "func" || tokens.first == "var": modifiers.insert(token)
    case _ where Self.types.contains(token): return processType(token)
    case "private" where tokens.first == "(": tokens = tokens.dropFirst(3)
    case _ where Self.modifiers.contains(token):
      modifiers.insert(token)
      return
    case "func": processMember(tokens.popFirst() ?? "", hasLabels: true)
    case "init": processMember("init", hasLabels: true)
    case "var", "let", "typealias": processMember(tokens.popFirst() ?? "")
    case "case":
      repeat {
        if scopes.last??.keyword == "enum" { processMember(tokens.popFirst() ?? "") }
        if tokens.first == "(" { _ = labels() }
      } while tokens.first == "," && tokens.popFirst() != nil
    default: break
    }
    if token != "private" && !(token == "class" && modifiers.contains(token)) { modifiers = [] }
  }

  private mutating func processType(_ keyword: String) {
    var name = tokens.popFirst() ?? ""
    while tokens.first == "." {
      tokens.removeFirst()
      name += "." + (tokens.popFirst() ?? "")
    }
    let path = path(of: name)
    let isPublic = !modifiers.isDisjoint(with: ["public", "open"])
    if isPublic { names.insert(path) }
    pending = Scope(path: path, keyword: keyword, isPublic: isPublic)
    modifiers = []
  }

  private mutating func processMember(_ name: String, hasLabels: Bool = false) {
    let full = name + (hasLabels ? labels() : "")
    let scope = scopes.last ?? nil
    // A protocol requirement or an enumeration case is as public as its type.
    let isOfType = scope.map { ["protocol", "enum"].contains($0.keyword) && $0.isPublic } ?? false
    let isOpen = !modifiers.isDisjoint(with: ["public", "open"])
    guard isOpen || isOfType && modifiers.isEmpty, !modifiers.contains("override") else { return }
    names.insert(path(of: full))
  }

  private func path(of name: String) -> String {
    let path = scopes.compactMap { $0?.path }.last
    return path.map { "\($0).\(name)" } ?? name
  }

  /// Reads a parameter list in parentheses and returns its labels, as `(_:for:)`.
  private mutating func labels() -> String {
    while let first = tokens.first, first != "(" { tokens.removeFirst() }
    var (depth, isLabel, labels) = (0, true, "")
    while let token = tokens.popFirst() {
      switch token {
      case "(", "[", "<", "{":
        depth += 1
        if depth == 1 { continue }
      case ")", "]", ">", "}": depth -= 1
      case "," where depth == 1:
        isLabel = true
        continue
      default: break
      }
      if depth == 0 { break }
      if isLabel { labels += token + ":" }
      isLabel = false
    }
    return "(\(labels))"
  }

  /// Splits a source into words and symbols, without comments and string literals.
  private static func tokens(of source: String) -> [String] {
    var (tokens, word) = ([String](), "")
    func isWord(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "_"
    }
    for line in source.split(separator: "\n") {
      var rest = line[...]
      var isQuoted = false
      while let character = rest.popFirst() {
        if character == "\\", isQuoted { rest = rest.dropFirst() }
        if character == "\"" { isQuoted.toggle() }
        if isQuoted || character == "\"" { continue }
        if character == "/", rest.first == "/" { break }
        if character == "`" { continue }
        if isWord(character) {
          word.append(character)
          continue
        }
        if !word.isEmpty { tokens.append(word) }
        word = ""
        // The `>` of an arrow does not close a bracket.
        if character == "-", rest.first == ">" {
          rest.removeFirst()
        } else if !character.isWhitespace {
          tokens.append(String(character))
        }
      }
      if !word.isEmpty { tokens.append(word) }
      word = ""
    }
    return tokens
  }
}
