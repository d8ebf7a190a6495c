// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization
internal import BeaconFormats
internal import BeaconMuseum
internal import Pages
internal import SystemKit
internal import WebServer

/// Answers the requests of the plan editor's page: it loads the plan, and saves the page's changes.
///
/// Every account of the machine can connect. So the page and all its parts are below a folder whose name only the printed
/// address contains, and elsewhere nothing is found. A change is saved only if the page has seen the file as it is, and if
/// the result is a valid plan.
final class PlanEditor: Sendable {
  /// The most bytes of a draft: a plan of a thousand exhibits has some 200 kB.
  static let largest = 2_000_000

  private let path: String
  /// The folder of the page, in the address that the command prints; it begins and ends with a slash.
  let folder: String
  private let files: OutputFiles
  private let nearest: NearestBeacons?
  /// The plan to begin with without a file.
  private let skeleton: [UInt8]
  /// The file as pages have loaded it, by its checksum.
  ///
  /// A page's changes are those of the file that it has loaded, so that an undo after a save restores everything. One request is
  /// answered after the other, so that no two change the file.
  private let loaded = Mutex<[(revision: String, bytes: [UInt8])]>([])
  /// The most files that are kept for pages; a page of the same file needs no other.
  private static let mostLoaded = 20

  /// - Parameters:
  ///   - path: The plan.
  ///   - skeleton: The plan to begin with without a file.
  ///   - random: Makes the name of the page's folder, 128 random bits.
  ///   - files: Writes the plan.
  ///   - nearest: The beacons that are received; `nil` if none are.
  init(
    _ path: String,
    skeleton: [UInt8],
    using random: inout some RandomNumberGenerator,
    _ files: OutputFiles,
    nearest: NearestBeacons? = nil
  ) {
    self.nearest = nearest
    self.path = path
    self.skeleton = skeleton
    folder = "/\(String(UInt128.random(in: .min ... .max, using: &random), radix: 36))/"
    self.files = files
  }

  /// Answers a request, on the server's thread; saving waits for the disk, and there is one reader.
  func answer(_ request: WebRequest) -> WebResponse {
    guard Self.hasPrefix(request.path, folder) else { return .notFound }
    let name = String(decoding: request.path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
    let language = PageLanguage.choose(
      of: PlanEditorPage.languages,
      asked: request.query[PagePaths.language],
      preferred: request.languages,
      usual: "en"
    )
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return switch (name, request.method) {
    case (PlanEditorPage.path, .get): .html(PlanEditorPage.html(file: file, in: language))
    case (PlanEditorPage.style, .get):
      .content(Array(Styles.editor.utf8), type: "text/css; charset=utf-8")
    case (PlanEditorPage.script, .get):
      .content(Array(Texts.editorScript.utf8), type: "text/javascript; charset=utf-8")
    case (PlanEditorPage.draft, .get): loaded.withLock { load(&$0, language) }
    case (PlanEditorPage.nearest, .get): nearest?.answer() ?? .notFound
    case (PlanEditorPage.alive, .get): .content(Array("{}".utf8), type: "application/json")
    case (PlanEditorPage.draft, .post): loaded.withLock { save(request, $0, language) }
    default: .notFound
    }
  }

  /// Compares all bytes of a prefix, so that the time does not depend on how many of them are right.
  private static func hasPrefix(_ path: String, _ prefix: String) -> Bool {
    path.utf8.count >= prefix.utf8.count
      && zip(path.utf8, prefix.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  // MARK: Loading

  private func bytes() throws(SystemError) -> [UInt8] {
    FileStatus(path) == nil ? skeleton : try WholeFile.read(path, mayWait: false)
  }

  private func load(
    _ loaded: inout [(revision: String, bytes: [UInt8])],
    _ language: String
  ) -> WebResponse {
    do throws(SystemError) {
      let bytes = try self.bytes()
      do throws(JSON5Faults) {
        let plan = try Plan(reading: bytes)
        var writer = JSONLineWriter()
        writer.beginObject()
        writer.string("revision", Self.revision(bytes))
        PlanDraft(of: plan).write(to: &writer)
        remarks(plan).write(in: language, to: &writer)
        writer.endObject()
        let revision = Self.revision(bytes)
        loaded.removeAll { $0.revision == revision }
        loaded.append((revision, bytes))
        loaded.removeFirst(max(0, loaded.count - Self.mostLoaded))
        return .content(writer.bytes, type: "application/json")
      } catch {
        return Self.failed(error, language)
      }
    } catch {
      return Self.failed(error, language)
    }
  }

  /// The answer that an error prevents, with the words of the command.
  private static func failed(_ error: any Error, _ language: String) -> WebResponse {
    let report = (error as? JSON5Faults).map(text) ?? "\(error)".printable
    return .refused(.conflict, EditorPhrases.of(language).failed.filled(report))
  }

  private func remarks(_ plan: Plan) -> PlanRemarks {
    PlanRemarks(plan, fault: PlanFolder(of: plan, at: path).fault(of:))
  }

  /// A checksum that differs for another content of the file.
  private static func revision(_ bytes: [UInt8]) -> String {
    PageRouter.edition(of: [String(decoding: bytes, as: UTF8.self)])
  }

  private static func text(_ faults: JSON5Faults) -> String {
    let lines = faults.faults.prefix(5).map { "\($0)".printable }
    return ([""] + lines + (faults.faults.count > lines.count ? ["…"] : []))
      .joined(separator: "\n")
  }

  // MARK: Saving

  /// Ends a change of the file with an answer.
  private struct Refusal: Error {
    let response: WebResponse
  }

  private func save(
    _ request: WebRequest,
    _ loaded: [(revision: String, bytes: [UInt8])],
    _ language: String
  ) -> WebResponse {
    guard request.contentType == "application/json" else {
      return .refused(.wrongType, "send application/json")
    }
    guard let sent = try? JSON5.parse(request.content),
      case .string(let revision) = sent["revision"]?.content
    else { return .refused(.malformed, "this is not what the page sends") }
    do {
      var writer = JSONLineWriter()
      try files.edit(path) { _ in
        let bytes = try self.bytes()
        let isCopy = sent["copy"]?.content == .bool(true)
        let isAsked = isCopy || sent["overwrite"]?.content == .bool(true)
        var base = revision
        if case .string(let text)? = sent["base"]?.content { base = text }
        let isSame = base == Self.revision(bytes)
        guard isAsked || revision == Self.revision(bytes),
          let old = isSame ? bytes : loaded.first(where: { $0.revision == base })?.bytes
        else {
          throw Refusal(response: .refused(.conflict, EditorPhrases.of(language).changed))
        }
        guard let draft = PlanDraft(sent, of: try Plan(reading: old)) else {
          throw Refusal(response: .refused(.malformed, "this is not what the page sends"))
        }
        let edited = try draft.applied(to: old)
        writer.beginObject()
        writer.string("revision", Self.revision(edited))
        remarks(try Plan(reading: edited)).write(in: language, to: &writer)
        // A copy is downloaded, and the file stays.
        if isCopy {
          writer.string("copy", String(decoding: edited, as: UTF8.self))
          writer.endObject()
          throw Refusal(response: .content(writer.bytes, type: "application/json"))
        }
        writer.endObject()
        return edited
      }
      return .content(writer.bytes, type: "application/json")
    } catch let refusal as Refusal {
      return refusal.response
    } catch let faults as DraftFaults {
      return .refused(.invalid, faults.json(in: language))
    } catch {
      return Self.failed(error, language)
    }
  }
}
