// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization
internal import BeaconFormats
internal import BeaconMuseum
internal import Pages
internal import SystemKit
internal import WebServer

/// Answers the requests of the plan editor's page: it loads the plan, and saves what the page has changed.
///
/// A change is saved only if the page has seen the file as it is, and if the result is a valid plan.
final class PlanEditor: Sendable {
  /// The most bytes of a draft: a plan of a thousand exhibits has some 200 kB.
  static let largest = 2_000_000

  private let path: String
  private let token: String
  private let files: OutputFiles
  /// The plan to begin with where there is no file.
  private let skeleton: [UInt8]
  /// One request is answered after the other, so that no two change the file.
  private let lock = Mutex(())

  /// - Parameters:
  ///   - path: The plan.
  ///   - skeleton: The plan to begin with where there is no file.
  ///   - token: What the page sends back: it shows that a script of this server's page has sent the draft.
  ///   - files: Writes the plan.
  init(_ path: String, skeleton: [UInt8], token: String, _ files: OutputFiles) {
    self.path = path
    self.skeleton = skeleton
    self.token = token
    self.files = files
  }

  /// Answers a request, on the server's thread; saving waits for the disk, and there is one reader.
  func answer(_ request: WebRequest) -> WebResponse {
    switch (request.path, request.method) {
    case (PlanEditorPage.path, .get):
      .html(PlanEditorPage.html(title: path.split(separator: "/").last.map(String.init) ?? path))
    case (PlanEditorPage.style, .get):
      .content(Array(Styles.editor.utf8), type: "text/css; charset=utf-8")
    case (PlanEditorPage.script, .get):
      .content(Array(Texts.editorScript.utf8), type: "text/javascript; charset=utf-8")
    case (PlanEditorPage.draft, .get): lock.withLock { _ in load() }
    case (PlanEditorPage.draft, .post): lock.withLock { _ in save(request) }
    default: .notFound
    }
  }

  // MARK: Loading

  private func bytes() throws(SystemError) -> [UInt8] {
    FileStatus(path) == nil ? skeleton : try WholeFile.read(path)
  }

  private func load() -> WebResponse {
    do throws(SystemError) {
      let bytes = try self.bytes()
      do throws(JSON5Faults) {
        let draft = PlanDraft(of: try Plan(reading: bytes))
        var writer = JSONLineWriter()
        writer.beginObject()
        writer.key("token")
        writer.string(token)
        writer.key("revision")
        writer.string(Self.revision(bytes))
        draft.write(to: &writer)
        writer.endObject()
        return .content(writer.bytes, type: "application/json")
      } catch {
        return .refused(.conflict, Self.text(error))
      }
    } catch {
      return .refused(.conflict, "\(error)".printable)
    }
  }

  /// A checksum that differs for another content of the file.
  private static func revision(_ bytes: [UInt8]) -> String {
    PageRouter.edition(of: [String(decoding: bytes, as: UTF8.self)])
  }

  private static func text(_ faults: JSON5Faults) -> String {
    let lines = faults.faults.prefix(5).map { "\($0)".printable }
    let rest = faults.faults.count - lines.count
    return (lines + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
  }

  // MARK: Saving

  /// Ends a change of the file with an answer.
  private struct Refusal: Error {
    let response: WebResponse
  }

  private func save(_ request: WebRequest) -> WebResponse {
    guard request.contentType == "application/json" else {
      return .refused(.wrongType, "send application/json")
    }
    guard let sent = try? JSON5.parse(request.content),
      case .string(let token) = sent["token"]?.content,
      case .string(let revision) = sent["revision"]?.content
    else { return .refused(.malformed, "this is not what the page sends") }
    guard token == self.token else { return .refused(.forbidden, "load the page again") }
    do {
      try files.edit(path) { _ in
        let bytes = try self.bytes()
        guard revision == Self.revision(bytes) else {
          let text = "The file was changed meanwhile. Load the page again."
          throw Refusal(response: .refused(.conflict, text))
        }
        guard let draft = PlanDraft(sent, of: try Plan(reading: bytes)) else {
          throw Refusal(response: .refused(.malformed, "this is not what the page sends"))
        }
        return try draft.applied(to: bytes)
      }
      return .content(Array("{}".utf8), type: "application/json")
    } catch let refusal as Refusal {
      return refusal.response
    } catch let faults as JSON5Faults {
      return .refused(.invalid, Self.text(faults))
    } catch {
      return .refused(.conflict, "\(error)".printable)
    }
  }
}
