// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import BeaconCore
import BeaconMuseum
import BeaconTestSupport
import Foundation
import SystemKit
import Testing
import WebServer

@testable import MuseumCommands

/// The forms with which pages give a device to the next visitor, answer questions and change settings.
@Suite struct GuideFormsTests {
  private static func check(seed: UInt64 = 1) -> PageCode {
    var random = SplitMix64(seed: seed)
    return PageCode(using: &random)
  }

  private static func content(_ token: String, _ code: String) -> [UInt8] {
    Array(#"{"token":"\#(token)","code":"\#(code)"}"#.utf8)
  }

  private static func request(
    _ content: [UInt8],
    type: String = "application/json",
    method: WebRequest.Method = .post
  ) -> WebRequest {
    WebRequest(path: PagePaths.nextVisitor, method: method, contentType: type, content: content)
  }

  @Test func `a code has eight letters and digits, and differs from run to run`() {
    let codes = (0..<200 as Range<UInt64>).map { Self.check(seed: $0).code }
    #expect(
      codes.allSatisfy { $0.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/) != nil }
    )
    #expect(Set(codes).count == 200)
    #expect(Set((0..<200 as Range<UInt64>).map { Self.check(seed: $0).token }).count == 200)
  }

  @Test func `the right code counts, and a wrong one does not`() {
    var check = Self.check()
    let (token, code) = (check.token, check.code)
    #expect(check.check(Self.content(token, "1"), from: .account(1), at: .zero) == .wrongCode)
    #expect(check.check(Self.content(token, ""), from: .account(1), at: .zero) == .wrongCode)
    #expect(check.check(Self.content(token, code), from: .account(1), at: .zero) == .accepted)
    #expect(check.check(Self.content("", code), from: .account(1), at: .zero) == .wrongToken)
    #expect(
      check.check(Self.content(token + "0", code), from: .account(1), at: .zero) == .wrongToken
    )
  }

  @Test func `wrong codes are counted by account and address, and the right code always counts`() {
    var check = Self.check()
    let (token, code) = (check.token, check.code)
    for _ in 0..<5 {
      #expect(
        check.check(Self.content(token, "wrong"), from: .account(1), at: .seconds(10)) == .wrongCode
      )
    }
    #expect(
      check.check(Self.content(token, "wrong"), from: .account(1), at: .seconds(69)) == .tooMany
    )
    #expect(
      check.check(Self.content(token, "wrong"), from: .account(2), at: .seconds(69)) == .wrongCode
    )
    for address in 1...3 as ClosedRange<UInt32> {
      #expect(
        check.check(Self.content(token, code), from: .account(address), at: .seconds(69))
          == .accepted
      )
    }
    #expect(
      check.check(Self.content(token, "wrong"), from: .account(1), at: .seconds(70)) == .wrongCode
    )
    // Many addresses take no more memory than some, and do not refuse the right code.
    for address in 0..<100_000 as Range<UInt32> {
      _ = check.check(Self.content(token, "wrong"), from: .account(address), at: .seconds(100))
    }
    #expect(
      check.check(Self.content(token, code), from: .account(7), at: .seconds(100)) == .accepted
    )
  }

  @Test
  func `a code may be typed in small letters, without its dash, and with letters like digits`() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<100 {
      var check = PageCode(using: &random)
      let token = check.token
      for typed in [
        check.code.lowercased(), check.code.replacing("-", with: ""),
        check.code.replacing("0", with: "O").replacing("1", with: "l"), " \(check.code) ",
      ] {
        #expect(
          check.check(Self.content(token, typed), from: .account(1), at: .zero) == .accepted,
          "\(typed)"
        )
      }
    }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{}", #"{"token":1,"code":2}"#, #"{"token":"a"}"#, #"{"code":"a"}"#,
    "\u{0}", "{\"token\":\"\u{FF}", String(repeating: "[", count: 500),
    #"{"token":"a","code":""# + String(repeating: "9", count: 600) + #""}"#,
  ])
  func `anything else is malformed`(text: String) {
    var check = Self.check()
    #expect(check.check(Array(text.utf8), from: .account(1), at: .zero) == .malformed)
  }

  @Test func `random bytes are never accepted, and never trap`() {
    var random = SplitMix64(seed: 9)
    var check = Self.check()
    for _ in 0..<2000 {
      let count = Int.random(in: 0...PageCode.largest, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(check.check(bytes, from: .account(1), at: .zero) == .malformed)
    }
  }

  @Test func `the run performs what was accepted, once`() throws {
    let check = Self.check()
    let form = GuideForms(check)
    let right = Self.request(Self.content(check.token, check.code))
    // The form is not open yet.
    #expect(form.offered == nil)
    #expect(form.answer(right) == .refused(.conflict, "there is no next visitor now"))
    form.pass(to: .zero, isOpen: true)
    #expect(form.offered == check.token)
    #expect(form.answer(Self.request(right.content, method: .get)) == .notFound)
    let plain = form.answer(Self.request(right.content, type: "text/plain"))
    #expect(plain == .refused(.wrongType, "send application/json"))
    #expect(form.drain().isEmpty)
    guard case .content = form.answer(right) else {
      Issue.record("the form is refused")
      return
    }
    #expect(form.drain() == [.nextVisitor])
    #expect(form.drain().isEmpty)
    form.pass(to: .zero, isOpen: false)
    #expect(form.answer(right) == .refused(.conflict, "there is no next visitor now"))
  }

  @Test func `nothing but the form can be sent`() throws {
    let plan = try Plan(
      reading: Array(Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5")))
    )
    let router = PageRouter(
      plan,
      language: "en",
      media: PlanFolder(of: plan, at: ""),
      forms: GuideForms(Self.check())
    )
    for path in ["/", "/operator", "/events/operator", "/page.js", "/media/a.png"] {
      #expect(router.answer(WebRequest(path: path, method: .post)) == .notFound, "\(path)")
    }
    #expect(router.answer(WebRequest(path: "/operator/next")) == .notFound)
    #expect(router.answer(WebRequest(path: "/operator")) != .notFound)
  }
}
