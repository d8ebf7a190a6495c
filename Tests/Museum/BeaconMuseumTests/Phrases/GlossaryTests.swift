// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Pages
import Testing

@testable import BeaconMuseum

/// Every phrase of the pages, screens and reports keeps to the glossary of its language.
@Suite struct GlossaryTests {
  static let languages = ["en", "de", "fr", "es", "it"]

  /// One page of the glossary.
  struct Glossary {
    var terms: [(english: String, word: String)] = []
    var forbidden: [String] = []

    init(_ language: String) throws {
      let page = ProjectFiles.root.appending(path: "docs/glossary-\(language).md")
      var section = ""
      for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
        if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
        guard line.hasPrefix("| ") else { continue }
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 2, cells[0] != "English", cells[0] != "not" else { continue }
        if section == "Terms" { terms.append((cells[0], cells[1])) }
        if section == "Words not to use" {
          forbidden += cells[0].split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
          }
        }
      }
    }
  }

  /// Returns every text in a value by its place, such as `asking.title`.
  private static func texts(_ value: Any, _ place: String = "") -> [String: String] {
    if let text = value as? String { return [place: text] }
    var found: [String: String] = [:]
    for (index, child) in Mirror(reflecting: value).children.enumerated() {
      let name = "\(place).\(child.label ?? "\(index)")"
      guard !name.hasSuffix(".language"), name != "VisitorPhrases.name" else { continue }
      found.merge(texts(child.value, name)) { first, _ in first }
    }
    return found
  }

  /// Returns all phrases of a language.
  private static func phrases(_ language: String) -> [String: String] {
    var all: [String: String] = [:]
    for value in PhraseBook.all(in: language) {
      all.merge(texts(value, "\(type(of: value))")) { first, _ in first }
    }
    return all
  }

  /// Returns a phrase without the commands in it, which are the same in every language.
  private static func withoutCommands(_ text: String) -> String {
    text.replacingOccurrences(of: "beaconctl museum report", with: "")
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && $0 != "’" }.flatMap { word in
      // Both l’objet and objet.
      [String(word)] + (word.contains("’") ? word.split(separator: "’").map(String.init) : [])
    }
  }

  private static func contains(_ text: String, _ phrase: String) -> Bool {
    let (all, wanted) = (words(text), phrase.lowercased().split(separator: " ").map(String.init))
    guard all.count >= wanted.count else { return false }
    return (0...(all.count - wanted.count)).contains {
      Array(all[$0..<($0 + wanted.count)]) == wanted
    }
  }

  @Test(arguments: languages)
  func `a page names ten terms and the words not to use`(language: String) throws {
    let glossary = try Glossary(language)
    #expect(glossary.terms.count == 10 && glossary.forbidden.count >= 8)
  }

  @Test(arguments: languages)
  func `no phrase contains a word that is not to be used`(language: String) throws {
    let glossary = try Glossary(language)
    let phrases = Self.phrases(language)
    #expect(phrases.count > 100)
    for (place, text) in phrases {
      for word in glossary.forbidden {
        #expect(!Self.contains(text, word), "\(place): '\(text)' contains '\(word)'")
      }
    }
  }

  @Test(arguments: languages.dropFirst())
  func `if the English phrase uses a term, its translation does`(language: String) throws {
    let glossary = try Glossary(language)
    let (english, phrases) = (Self.phrases("en"), Self.phrases(language))
    #expect(english.keys.sorted() == phrases.keys.sorted())
    // A pronoun or the sentence itself may stand for these.
    for term in glossary.terms
    where !["guide", "room", "permission", "precise", "visit"].contains(term.english) {
      for (place, text) in english.mapValues(Self.withoutCommands)
      where Self.contains(text, term.english) || Self.contains(text, term.english + "s") {
        let other = Self.withoutCommands(phrases[place] ?? "")
        #expect(
          other.lowercased().contains(term.word.lowercased()),
          "\(place): '\(text)' uses '\(term.english)', but '\(other)' not '\(term.word)'"
        )
      }
    }
  }

  @Test func `a place for a value is in every language's phrase`() {
    let english = Self.phrases("en")
    for language in Self.languages.dropFirst() {
      for (place, text) in Self.phrases(language) {
        for mark in ["{0}", "{1}", "{2}"] {
          #expect(text.contains(mark) == english[place]?.contains(mark), "\(place): '\(text)'")
        }
      }
    }
    #expect("{0} of {1}".filled("2", "{0}") == "2 of {0}" && "{2}{x".filled("a") == "{2}{x")
  }

  @Test(arguments: languages.dropFirst())
  func `a phrase of several words is translated`(language: String) {
    let phrases = Self.phrases(language)
    for (place, text) in Self.phrases("en") where Self.words(text).count > 2 {
      #expect(phrases[place] != text, "\(place): '\(text)'")
    }
  }

  @Test func `the editor's page and script use every phrase, and have no other words`() {
    let (page, script) = (Texts.editorPage, Texts.editorScript)
    let keys = Set(EditorPhrases.of("en").entries.map(\.key))
    let places = Set(page.matches(of: /\{(\w+)\}/).map { String($0.1) })
    #expect(
      places.subtracting(keys) == [
        "language", "heading", "file", "draft", "links", "words", "names", "starts", "columns",
      ]
    )
    let called = script.matches(
      of: /\b(?:words\.|(?:phrase|say|texts|field|check|action)\(\[?')(\w+)/
    )
    for match in called { #expect(keys.contains(String(match.1)), "\(match.1)") }
    let named = Set(script.matches(of: /'(\w+)'|words\.(\w+)/).map { String($0.1 ?? $0.2 ?? "") })
    // The command writes the title, and why a plan is not saved.
    #expect(keys.subtracting(places).subtracting(named) == ["pageTitle", "changed"])
    let starts = Set(StartPhrases.of("en").entries.map(\.key))
    // Those of the file that the command makes.
    #expect(starts.subtracting(named).isSubset(of: ["museum", "whenInUse", "purpose"]))

    let outside = page.replacing(/<[^>]*>|\{\w+\}|&nbsp;/, with: "")
    #expect(!outside.contains { $0.isLetter }, "\(outside)")
    for name in page.matches(of: /(?:aria-label|alt|title|placeholder)="([^"]*)"/) {
      #expect(name.1.hasPrefix("{") && name.1.hasSuffix("}"), "\(name.1)")
    }
    let code = script.split(separator: "\n").filter { !$0.contains(/^ *\/\//) }
      .joined(separator: "\n")
    let literals = code.matches(of: /'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/).map {
      String($0.1 ?? $0.2 ?? "").replacing(/\$\{[^}]*\}/, with: "")
    }
    #expect(literals.count > 300)
    let words = Set(literals.filter { $0.contains(/^[“"]?[A-Z][a-z]|[a-z,.:] [A-Za-z]/) })
    #expect(
      words == [
        "use strict", "#tools input:checked", "input, select, textarea, button", "Delete",
        "Content-Type", "room chosen", "door chosen", "entrance chosen", "spot chosen",
        "beaconctl museum plan edit --live ", "nav a",
      ]
    )
  }

  @Test func `every fault of a plan is found somewhere`() throws {
    let folder = ProjectFiles.root.appending(path: "Sources/Museum")
    var sources = ""
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".swift") {
      sources += try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }
    for entry in FaultPhrases.of("en").entries {
      #expect(
        sources.contains("\\.\(entry.key)") || sources.contains("phrases.\(entry.key)"),
        "\(entry.key)"
      )
    }
  }

  @Test func `a variety of a language has its phrases, and an unknown language the English`() {
    #expect(VisitorPhrases.of("de-CH").language == "de")
    #expect(ScreenPhrases.of("FR").language == "fr")
    #expect(OperatorPhrases.of("nl").language == "en")
  }
}
