// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconMuseum
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Pages
import SystemKit
import Testing
import WebServer

@testable import BeaconCommands
@testable import MuseumCommands

/// The plan editor's page saves the allowed values, and nothing else.
@Suite struct PlanEditorTests {
  private let folder: ScratchFolder
  private let path: String
  private let file: Data

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("plan.json5")
    file = try Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5"))
    try file.write(to: URL(filePath: path))
  }

  private func editor(_ name: String? = nil, seed: UInt64 = 1) -> PlanEditor {
    var random = SplitMix64(seed: seed)
    return PlanEditor(
      name.map(folder.path) ?? path,
      skeleton: Array(PlanSkeleton.text(uuid: 7, []).utf8),
      using: &random,
      OutputFiles()
    )
  }

  private func load(_ editor: PlanEditor) throws -> String {
    let request = WebRequest(path: editor.folder + "plan")
    guard case .content(let bytes, let type) = editor.answer(request) else {
      Issue.record("the plan is not loaded")
      return ""
    }
    #expect(type == "application/json")
    return String(decoding: bytes, as: UTF8.self)
  }

  private func save(_ editor: PlanEditor, _ text: String, type: String = "application/json")
    -> WebResponse
  {
    editor.answer(
      WebRequest(
        path: editor.folder + "plan",
        method: .post,
        contentType: type,
        content: Array(text.utf8)
      )
    )
  }

  private var written: Data { get throws { try Data(contentsOf: URL(filePath: path)) } }

  @Test func `a change is saved, and the page must load the file again for the next`() throws {
    let editor = editor()
    let loaded = try load(editor)
    let changed = loaded.replacing(#""at":[2.00,1.50]"#, with: #""at":[3.00,1.50]"#)
    #expect(changed != loaded)
    guard case .content = save(editor, changed) else {
      Issue.record("\(save(editor, changed))")
      return
    }
    let expected = String(decoding: file, as: UTF8.self)
      .replacing("minor: 101, at: [2, 1.5]", with: "minor: 101, at: [3, 1.5]")
    #expect(try String(decoding: written, as: UTF8.self) == expected)
    guard case .refused(.conflict, _) = save(editor, changed) else {
      Issue.record("an outdated page was saved")
      return
    }
    guard case .content = save(editor, try load(editor)) else {
      Issue.record("the same again is refused")
      return
    }
    #expect(try String(decoding: written, as: UTF8.self) == expected)
  }

  @Test func `a pipe in the place of the plan holds no page up`() throws {
    let editor = editor()
    let loaded = try load(editor)
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    guard case .refused = save(editor, loaded),
      case .refused = editor.answer(WebRequest(path: editor.folder + "plan"))
    else {
      Issue.record("a pipe was read")
      return
    }
  }

  @Test func `an undo after a save restores the file, with values that no page shows`() throws {
    let editor = editor()
    let loaded = try load(editor)
    let draft = try #require(try? JSON5.parse(loaded))
    guard case .string(let base)? = draft["revision"]?.content else { return }
    let start = try #require(loaded.range(of: #"{"was":0,"room""#))
    let end = try #require(loaded.range(of: #",{"was":1,"room""#))
    var without = loaded
    without.removeSubrange(start.lowerBound..<end.lowerBound)
    without = without.replacing(#""exhibits":[,"#, with: #""exhibits":["#)
    guard case .content(let bytes, _) = save(editor, without) else {
      Issue.record("\(save(editor, without))")
      return
    }
    #expect(try !String(decoding: written, as: UTF8.self).contains("Sundial"))
    guard case .string(let revision)? = try JSON5.parse(bytes)["revision"]?.content else { return }
    let undone = loaded.replacing(
      #""revision":"\#(base)""#,
      with: #""revision":"\#(revision)","base":"\#(base)""#
    )
    guard case .content = save(editor, undone) else {
      Issue.record("\(save(editor, undone))")
      return
    }
    #expect(try written == file)
    let unknown = undone.replacing(#""base":"\#(base)""#, with: #""base":"other""#)
    guard case .refused(.conflict, _) = save(editor, unknown) else {
      Issue.record("changes of an unknown file were saved")
      return
    }
  }

  @Test func `what another program has written in between stays`() throws {
    let editor = editor()
    let loaded = try load(editor)
    let mine = file + Data("// mine\n".utf8)
    try mine.write(to: URL(filePath: path))
    guard case .refused(.conflict, let reason) = save(editor, loaded) else {
      Issue.record("the file was overwritten")
      return
    }
    #expect(reason.contains("changed meanwhile"))
    #expect(try written == mine)
    // The curator keeps their work: it is downloaded, or replaces the file if they ask for that.
    let changed = loaded.replacing("Sundial", with: "Moondial")
    let asked = { (word: String) in
      changed.replacing(#""revision":"#, with: #""\#(word)":true,"revision":"#)
    }
    guard case .content(let bytes, _) = save(editor, asked("copy")),
      case .string(let copy)? = try JSON5.parse(bytes)["copy"]?.content
    else {
      Issue.record("\(save(editor, asked("copy")))")
      return
    }
    #expect(copy.contains("Moondial") && !copy.contains("// mine"))
    #expect(try written == mine)
    guard case .content = save(editor, asked("overwrite")) else {
      Issue.record("\(save(editor, asked("overwrite")))")
      return
    }
    #expect(try String(decoding: written, as: UTF8.self) == copy)
  }

  @Test func `a weakness is a warning that names its part, as in 'plan check'`() throws {
    let editor = editor()
    #expect(try load(editor).hasSuffix(#""warnings":[]}"#))
    _ = try folder.write("no picture", to: "fake.png")
    let changes = [
      (#""at":[2.00,1.50]"#, #""at":[5.00,2.00]"#), ("[[10.00,3.50],", "[[4.00,3.50],"),
      (#""outline":[[10.00,0.00],"#, #""outline":[[7.00,0.00],"#),
      (#""image":null"#, #""image":"gone.png""#),
    ]
    var text = try load(editor)
    for (old, new) in changes {
      let range = try #require(text.range(of: old), "\(old)")
      text.replaceSubrange(range, with: new)
    }
    // The pages serve no links.
    let real = try folder.write("\u{89}PNG", to: "real.data")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.png"),
      withDestinationPath: real
    )
    for file in ["fake.png", "link.png"] {
      let last = try #require(text.range(of: #""image":null"#, options: .backwards))
      text.replaceSubrange(last, with: #""image":"\#(file)""#)
    }
    guard case .content(let bytes, _) = save(editor, text) else {
      Issue.record("\(save(editor, text))")
      return
    }
    let saved = String(decoding: bytes, as: UTF8.self)
    let check = CommandRun(of: .withMuseum, ["museum", "plan", "check", path])
    for (message, part) in [
      ("are closer than 2.0 m", #""kind":"exhibit","index":1"#),
      ("are drawn over each other", #""kind":"room","index":1"#),
      ("'gone.png' is missing", #""kind":"exhibit","index":0"#),
      ("'fake.png' is not what its name ends with", #""kind":"exhibit","index":23"#),
      ("'link.png' cannot be read, or is a link", #""kind":"exhibit","index":22"#),
      ("door 1 is on no wall", #""kind":"door","index":0,"level":0"#),
    ] {
      let warning = saved.split(separator: "{").first { $0.contains(message) }
      #expect(warning?.contains(part) == true, "\(message): \(saved)")
      #expect(check.errors.contains(message), "\(check.errors)")
    }
    #expect(try load(editor).contains("are closer than"))
  }

  @Test func `a missing text is named as on the page, and a missing folder when it starts`() throws
  {
    let editor = editor()
    let loaded = try load(editor)
    let english = try #require(loaded.range(of: #""alwaysAndWhenInUse":{"en":"#))
    let german = try #require(loaded[english.upperBound...].range(of: #""de":"#))
    var changed = loaded
    changed.replaceSubrange(
      english.lowerBound..<german.lowerBound,
      with: #""alwaysAndWhenInUse":{"#
    )
    guard case .refused(.invalid, let text) = save(editor, changed) else {
      Issue.record("a text is missing")
      return
    }
    let field = "“Why it greets while it is closed” is missing in English"
    #expect(text.contains(#""message":"\#(field)""#), "\(text)")
    #expect(text.contains(#""field":"alwaysAndWhenInUse-en""#), "\(text)")
    let away = folder.path("nodir/plan.json5")
    let run = CommandRun(of: .withMuseum, ["museum", "plan", "edit", away])
    #expect(run.code == .noInput && run.errors.contains("there is no folder"), "\(run.errors)")
  }

  @Test func `a plan is saved before it is translated, and visitors see its first language`() throws
  {
    let editor = editor()
    let german = #","de":"Um Sie zu begrüßen, wenn Sie wiederkommen.""#
    let changed = try load(editor).replacing(german, with: "")
    guard case .content(let bytes, _) = save(editor, changed) else {
      Issue.record("\(save(editor, changed))")
      return
    }
    let message = "Deutsch: 1 text is missing; visitors see it in English"
    let part = #""kind":"museum","index":0,"level":null,"field":"alwaysAndWhenInUse-de""#
    let answer = String(decoding: bytes, as: UTF8.self)
    #expect(answer.contains(#"{"message":"\#(message)",\#(part)}"#), "\(answer)")
    let check = CommandRun(of: .withMuseum, ["museum", "plan", "check", path])
    #expect(check.code == .done)
    #expect(check.errors == "beaconctl: \(path): de: 1 text is missing; visitors see it in en\n")
    let plan = try Plan(reading: Array(written))
    #expect(plan.manifest.alwaysAndWhenInUse?["de"] == plan.manifest.alwaysAndWhenInUse?["en"])
  }

  @Test func `an unfinished part is a weakness that names it`() throws {
    let editor = editor("rough.json5")
    let title = { (text: String) in #""title":{"en":"\#(text)"},"text":null"# }
    let exhibit = { (minor: Int, rest: String) in
      #"{"was":null,"room":1,"minor":\#(minor),"number":\#(minor),\#(rest)}"#
    }
    let room = { (major: Int, outline: String) in
      #"{"was":null,"major":\#(major),"level":0,"name":{"en":"Room \#(major)"},"outline":\#(outline)}"#
    }
    let rooms = [
      room(1, "[[0,0],[9,0],[9,6],[0,6]]"), room(2, "[]"), room(3, "[[90,0],[99,0],[99,6]]"),
    ].joined(separator: ",")
    let exhibits = exhibit(1, title("Sundial")) + "," + exhibit(2, title("Exhibit 2"))
    let floor = #"{"was":null,"level":0,"name":{"en":"Ground"},"entrance":[4,3],"doors":[]}"#
    let changed = try load(editor)
      .replacing(
        #""floors":[],"rooms":[],"exhibits":[]"#,
        with: #""floors":[\#(floor)],"rooms":[\#(rooms)],"exhibits":[\#(exhibits)]"#
      )
    guard case .content = save(editor, changed) else {
      Issue.record("\(save(editor, changed))")
      return
    }
    let file = folder.path("rough.json5")
    let check = CommandRun(of: .withMuseum, ["museum", "plan", "check", file])
    #expect(
      check.errors.split(separator: "\n").map { $0.dropFirst("beaconctl: \(file): ".count) } == [
        "room 'Room 2' has a major and no exhibit", "room 'Room 3' has a major and no exhibit",
        "room 'Room 1' is drawn more than 50 m from every other room of its floor; move it",
        "room 'Room 3' is drawn more than 50 m from every other room of its floor; move it",
        "the entrance is inside room 'Room 1'; move it to where visitors come in",
        "no outline is given for 'Room 2'", "no place is given for 'Sundial', 'Exhibit 2'",
        "no text is given for 'Sundial', 'Exhibit 2'", "still with a proposed title: 'Exhibit 2'",
      ]
    )
    let loaded = try load(editor)
    for part in [
      #""kind":"entrance","index":0,"level":0,"field":null"#,
      #""kind":"room","index":1,"level":null,"field":"name""#,
      #""kind":"exhibit","index":1,"level":null,"field":"title""#,
    ] {
      #expect(loaded.contains(part), "\(loaded)")
    }
  }

  @Test func `what does not come from the page changes nothing`() throws {
    let editor = editor()
    let loaded = try load(editor)
    let other = loaded.replacing("Sundial", with: "Moondial")
    let attempts: [(WebResponse, WebRefusal)] = [
      (save(editor, other, type: "text/plain"), .wrongType),
      (save(editor, "{"), .malformed), (save(editor, ""), .malformed),
      (save(editor, other.replacing(#""rooms":"#, with: #""room":"#)), .malformed),
      (save(editor, other.replacing(#""minor":101"#, with: #""minor":102"#)), .invalid),
      (save(editor, other.replacing(#""minor":101"#, with: #""minor":70000"#)), .invalid),
      (save(editor, other.replacing(#""at":[2.00,1.50]"#, with: #""at":[29,13]"#)), .invalid),
    ]
    for (index, (response, refusal)) in attempts.enumerated() {
      guard case .refused(refusal, let reason) = response else {
        Issue.record("attempt \(index): \(response)")
        continue
      }
      #expect(!reason.isEmpty)
    }
    #expect(try written == file)
    for path in ["", "editor.js", "other"] {
      #expect(editor.answer(WebRequest(path: editor.folder + path, method: .post)) == .notFound)
    }
  }

  @Test func `who does not know the printed address is shown nothing and changes nothing`() throws {
    let editor = editor()
    let changed = try load(editor).replacing("Sundial", with: "Moondial")
    let secret = editor.folder.dropLast()
    let folders = [
      "/", "", "//", self.editor(seed: 2).folder, String(secret), "\(secret)x/",
      "\(secret.dropLast())/", "/\(editor.folder)", "/x\(editor.folder)",
      editor.folder.uppercased(),
    ]
    for folder in folders {
      for name in ["", "editor.css", "editor.js", "plan", "events", "media/a.png"] {
        #expect(editor.answer(WebRequest(path: folder + name)) == .notFound, "\(folder)\(name)")
        let post = WebRequest(
          path: folder + name,
          method: .post,
          contentType: "application/json",
          content: Array(changed.utf8)
        )
        #expect(editor.answer(post) == .notFound, "\(folder)\(name)")
      }
    }
    #expect(try written == file)
    guard case .content(let page, _) = editor.answer(WebRequest(path: editor.folder)) else {
      Issue.record("the printed address does not open the page")
      return
    }
    // The page's own parts are below the same folder.
    let text = String(decoding: page, as: UTF8.self)
    for part in ["href=\"editor.css\"", "src=\"editor.js\"", "data-plan=\"plan?language=en\""] {
      #expect(text.contains(part), "\(part)")
    }
    for name in ["editor.css", "editor.js", "plan"] {
      #expect(editor.answer(WebRequest(path: editor.folder + name)) != .notFound)
    }
  }

  @Test func `the secret of an address is long, and differs from run to run`() {
    let folders = (1...200).map { editor(seed: $0).folder }
    #expect(Set(folders).count == 200)
    #expect(folders.allSatisfy { $0.count > 20 && $0.hasPrefix("/") && $0.hasSuffix("/") })
  }

  @Test func `a new plan is written with its first change, and not before`() throws {
    let editor = editor("new.json5")
    let loaded = try load(editor)
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.json5")))
    let room =
      #"{"was":null,"major":1,"level":0,"name":{"en":"Hall"},"outline":[[0,0],[9,0],[9,6]]}"#
    let changed = loaded.replacing(#""rooms":[]"#, with: #""rooms":[\#(room)]"#)
    guard case .content = save(editor, changed) else {
      Issue.record("\(save(editor, changed))")
      return
    }
    let check = CommandRun(of: .withMuseum, ["museum", "plan", "check", folder.path("new.json5")])
    #expect(check.code == .done && check.output.contains("1 room"), "\(check.errors)")
  }

  @Test func `a fault names its exhibit, without a line`() throws {
    let editor = editor()
    let changed = try load(editor).replacing(#""minor":103"#, with: #""minor":102"#)
    guard case .refused(.invalid, let text) = save(editor, changed) else {
      Issue.record("two beacons of one identity were saved")
      return
    }
    let message =
      "'Water clock' has room 1 and minor 102 already; write 103, and the same into the beacon"
    #expect(
      text == #"{"faults":[{"message":"\#(message)","kind":"exhibit","index":2,"field":"minor"}]}"#
    )
  }

  @Test func `the page finds the beacon in front of the curator, by its name`() async throws {
    var names = NameBook()
    names[TestScan.beacon(1, 3)] = "Spare <b>"
    let nearest = NearestBeacons(names)
    var options = RunOptions()
    options.captures = [CommandRun.capture("walk.btsnoop")]
    options.output.format = OutputFormat.none
    options.participants = [{ _ in nearest }]
    #expect(try await EventRun.run(options, .sightings, io: .silent) == .done)
    guard case .content(let bytes, let type) = nearest.answer() else {
      Issue.record("there is no answer")
      return
    }
    #expect(type == "application/json")
    struct Answer: Decodable {
      struct Beacon: Decodable { let major, minor: Int, name: String? }
      let beacons: [Beacon]
    }
    let found = try JSONDecoder().decode(Answer.self, from: Data(bytes)).beacons
    #expect(found.first?.major == 1 && found.first?.minor == 3, "\(found)")
    #expect(found.first?.name == "Spare <b>", "\(found)")
    #expect(found.count > 1 && found.dropFirst().allSatisfy { $0.name == nil }, "\(found)")
    #expect(editor().answer(WebRequest(path: editor().folder + "nearest")) == .notFound)
  }

  @Test func `a file that became invalid is not edited`() throws {
    let editor = editor()
    try Data("{ rooms: 7 }".utf8).write(to: URL(filePath: path))
    let request = WebRequest(path: editor.folder + "plan")
    guard case .refused(.conflict, _) = editor.answer(request) else {
      Issue.record("an invalid plan was loaded")
      return
    }
  }

  @Test func `a browser's language is that of the page, of faults, warnings and refusals`() throws {
    let editor = editor()
    let get = { (query: [String: String], languages: [String]) in
      editor.answer(WebRequest(path: editor.folder, query: query, languages: languages))
    }
    for (query, languages, found) in [
      ([:], [], "en"), ([:], ["nl", "de-at", "fr"], "de"), (["language": "it"], ["de"], "it"),
      (["language": "<b>"], ["ja"], "en"),
    ] {
      guard case .content(let bytes, _) = get(query, languages) else { return }
      let page = String(decoding: bytes, as: UTF8.self)
      #expect(page.contains("<html lang=\"\(found)\">") && !page.contains("<b>"))
      #expect(page.contains("data-plan=\"plan?language=\(found)\""))
      #expect(
        page.contains(
          "<a href=\"?language=\(found)\" hreflang=\"\(found)\" lang=\"\(found)\" aria-current="
        )
      )
      #expect(page.matches(of: /hreflang=/).count == 5)
    }
    let loaded = try load(editor)
    let answer = { (text: String) in
      editor.answer(
        WebRequest(
          path: editor.folder + "plan",
          query: ["language": "de"],
          method: .post,
          contentType: "application/json",
          content: Array(text.utf8)
        )
      )
    }
    guard
      case .refused(.invalid, let outside) = answer(
        loaded.replacing(#""at":[2.00,1.50]"#, with: #""at":[29,13]"#)
      ),
      case .refused(.invalid, let missing) = answer(
        loaded.replacing(#""alwaysAndWhenInUse":{"en""#, with: #""alwaysAndWhenInUse":{"fr""#)
      ),
      case .refused(.conflict, let changed) = answer(
        loaded.replacing(#""revision":""#, with: #""revision":"0"#)
      ),
      case .content(let saved, _) = answer(
        loaded.replacing(#""at":[2.00,1.50]"#, with: #""at":[5.00,2.00]"#)
      )
    else {
      Issue.record("an answer is another one")
      return
    }
    #expect(outside.contains(/das ist \d+,\d m außerhalb des Umrisses von „/), "\(outside)")
    #expect(missing.contains("„Warum er grüßt, während er geschlossen ist“ fehlt: English"))
    #expect(changed == "Die Datei wurde inzwischen geändert.")
    #expect(String(decoding: saved, as: UTF8.self).contains("weniger als 2,0 m voneinander"))
    try Data("{ rooms: 7 }".utf8).write(to: URL(filePath: path))
    let request = WebRequest(path: editor.folder + "plan", languages: ["es"])
    guard case .refused(.conflict, let reason) = editor.answer(request) else { return }
    let beginning = "No ha funcionado. El comando informa: \n1:1: a plan needs 'languages'\n"
    #expect(reason.hasPrefix(beginning), "\(reason)")
  }

  @Test func `the page has what its script looks up, and nothing inline or from elsewhere`() {
    let page = PlanEditorPage.html(file: "<script>alert(1)</script>.json5", in: "en")
    let wanted = Set(
      Texts.editorScript.matches(of: /byId\('([a-z-]+)'\)/).map { String($0.1) }
    )
    #expect(wanted.count > 10)
    for id in wanted { #expect(page.contains("id=\"\(id)\""), "\(id)") }
    #expect(!page.contains("<script>alert") && !page.contains("://"))
    #expect(!page.contains("style=") && !page.contains(/\son[a-z]+=/))
    #expect(!Texts.editorScript.contains("innerHTML"))
    #expect(!Styles.editor.contains("url(") && !Styles.editor.contains("@import"))
  }
}
