// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The guide's pages as a browser gets them: over a real socket, from the built command.
@Suite(.serialized) struct MuseumServeTests {
  /// Shell functions: a server on a free port, requests, and streams.
  private static let server = """
    set -u
    # Jobs of their own groups heed Ctrl-C.
    set -m
    folder=$(mktemp -d)
    plan=Fixtures/museum/plan.json5
    export XDG_STATE_HOME=$folder/state
    start() {
      ${launch-} '\(BuiltCommand.program.path)' museum serve --plan "$plan" --port 0 "$@" \
        > "$folder/out" 2> "$folder/err" &
      server=$!
      for _ in $(seq 300); do
        if grep -q operator "$folder/out"; then break; fi
        sleep 0.1
      done
      port=$(sed -n 's|^visitor .*:\\([0-9]*\\)/#.*$|\\1|p' "$folder/out")
    }
    wait_for() {
      for _ in $(seq 300); do
        if grep -q -- "$1" "$folder/err"; then return 0; fi
        sleep 0.1
      done
      echo "never said: $1"
    }
    ask() {
      exec 3<> "/dev/tcp/127.0.0.1/$port"
      printf 'GET %s HTTP/1.1\\r\\nHost: localhost:%s\\r\\nAccept-Language: %s\\r\\nConnection: close\\r\\n\\r\\n' \
        "$1" "$port" "${2-en}" >&3
    }
    get() { ask "$@"; cat <&3; exec 3>&-; }
    # The first event of a stream.
    event() {
      ask "$1"
      while IFS= read -r -t 10 line <&3; do
        case $line in data:*) echo "$line"; break ;; esac
      done
      exec 3>&-
    }
    # Sends a form: its token, its code, the origin, the type of the content.
    send() {
      content="{\\"token\\":\\"$1\\",\\"code\\":\\"$2\\",\\"choice\\":\\"${choice-}\\"}"
      exec 3<> "/dev/tcp/127.0.0.1/$port"
      printf 'POST %s HTTP/1.1\\r\\nHost: localhost:%s\\r\\nOrigin: %s\\r\\nContent-Type: %s\\r\\n' \
        "$path" "$port" "$3" "${4-application/json}" >&3
      printf 'Connection: close\\r\\nContent-Length: %s\\r\\n\\r\\n%s' ${#content} "$content" >&3
      head -n 1 <&3
      exec 3>&-
    }
    stop() {
      kill -INT $server
      wait $server
      echo "ended with $?"
    }
    trap 'kill -9 $server 2>/dev/null; rm -rf "$folder"' EXIT

    """

  private func serve(_ script: String) throws -> String {
    let run = try BuiltCommand(Self.server + script)
    #expect(run.code == 0, "\(run.output) \(run.errors)")
    #expect(!run.output.contains("never said"), "\(run.output) \(run.errors)")
    return run.output
  }

  @Test(.slow, .timeLimit(.minutes(2)))
  func `a visit is served to its end and beyond, in the reader's language`() throws {
    let output = try serve(
      """
      start --simulate 7 --speed max --answers Fixtures/museum/demo-answers.json5
      wait_for 'served until Ctrl-C'
      get / de | grep -ao 'html lang="[a-z]*"'
      get / 'fr, en;q=0.5' | grep -ao 'html lang="[a-z]*"'
      get '/?language=de' en | grep -ao 'html lang="[a-z]*"'
      get /page.js | grep -ac EventSource
      get /page.css | grep -ai '^content-type'
      get /operator | grep -ac 'data-exhibit="23"'
      get / | grep -aio "script-src 'self'; style-src 'self'"
      get /nothing | head -n 1
      event '/events/visitor?language=de'
      event /events/operator | grep -o '"Exhibits announced","[0-9]*"'
      stop
      """
    )
    for part in [
      "html lang=\"de\"\nhtml lang=\"en\"\nhtml lang=\"de\"\n", "text/css", "404 Not Found",
      "script-src 'self'; style-src 'self'", "Der Besuch ist zu Ende", "ended with 0\n",
    ] {
      #expect(output.contains(part), "\(part) in \(output)")
    }
    let announced = output.firstMatch(of: /"Exhibits announced","([0-9]+)"/).flatMap { Int($0.1) }
    #expect(announced ?? 0 > 2, "\(output)")
  }

  @Test(.slow, .timeLimit(.minutes(2)))
  func `under approximate location both streams are without a place`() throws {
    let output = try serve(
      """
      cat > "$folder/answers.json5" <<'ANSWERS'
      [
        { at: 1, input: "answer", choice: "whileUsing" },
        { at: 60, input: "settings", precise: false },
      ]
      ANSWERS
      start --simulate 7 --speed max --answers "$folder/answers.json5" --record "$folder/visit.jsonl"
      wait_for 'served until Ctrl-C'
      event '/events/visitor?language=en'
      event /events/operator | grep -o '"room":.*"near":[^"]*'
      stop
      # The visit as it was recorded ends alike.
      start --from "$folder/visit.jsonl" --speed max
      wait_for 'served until Ctrl-C'
      event '/events/visitor?language=en' | cut -c1-32
      stop
      """
    )
    let state =
      #"data: {"status":"reduced","place":null,"title":"Your location is approximate","text":"So these are off: your room, your place on the"#
      + #" plan, the exhibit in front of you. Exhibits still open by their number.","exhibit":false,"#
      + #""level":null,"sure":null,"index":null,"room":null,"note":"This visit is simulated. The visit has"#
      + #" ended. You see its last state.","visit":0,"floor":null,"x":null,"y":null,"r":null,"question":null,"#
      + #""reason":null,"switch":false,"choices":[],"token":null}"#
    #expect(output.contains(state + "\n"), "\(output)")
    #expect(
      output.contains(
        #""room":null,"index":null,"floor":null,"x":null,"y":null,"r":null,"received":[],"near":[],"#
          + "\n"
      ),
      "\(output)"
    )
    #expect(output.contains("data: {\"status\":\"reduced\",\"plac"), "\(output)")
    #expect(output.split(separator: "\n").count { $0 == "ended with 0" } == 2, "\(output)")
  }

  @Test(.slow, .timeLimit(.minutes(2)))
  func `the operator's page gives the device to the next visitor, with the code`() throws {
    let output = try serve(
      """
      start --simulate 7 --speed 8x --answers Fixtures/museum/demo-answers.json5
      code=$(sed -n 's/^code  *\\([^ ]*\\).*/\\1/p' "$folder/out")
      token=$(event /events/operator | sed -n 's/.*"token":"\\([0-9a-f]*\\)".*/\\1/p')
      path=/operator/next
      own=http://localhost:$port
      send "$token" "$code" http://evil.example
      send "$token" "$code" $own text/plain
      send "$token" 12345 $own
      send other "$code" $own
      event /events/visitor | grep -o '"visit":.'
      send "$token" "$code" $own
      for _ in $(seq 100); do
        event /events/visitor | grep '"visit":1' | grep -o '"status":"asking"' && break
      done
      stop
      """
    )
    let answers = output.matches(of: /HTTP\/1.1 ([0-9]+)/).map { String($0.1) }
    #expect(answers == ["403", "415", "422", "403", "200"], "\(output)")
    #expect(output.contains("\"visit\":0\n"), "\(output)")
    #expect(output.contains("\"status\":\"asking\"\nended with 0\n"), "\(output)")
  }

  @Test(.slow, .timeLimit(.minutes(2)))
  func `the visitor answers on the page, with the secret of the printed address`() throws {
    let output = try serve(
      """
      start --simulate 7 --speed 8x
      path=/answer choice=answer.whileUsing own=http://localhost:$port
      key=$(sed -n 's/^visitor .*#//p' "$folder/out")
      for _ in $(seq 100); do
        event /events/visitor | grep -q 'answer.whileUsing' && break
      done
      event /events/visitor | grep -o '"question":"[^"]*'
      token=$(event /events/visitor | sed -n 's/.*"token":"\\([0-9a-f]*\\)".*/\\1/p')
      send "$token" "$key" http://evil.example
      send "$token" "$key" $own text/plain
      send "$token" "" $own
      send "$token" "${key%?}" $own
      send other "$key" $own
      choice=place send "$token" "$key" $own
      get "/?language=en" | grep -c "$key"
      event /events/visitor | grep -c "$key"
      event /events/visitor | grep -o '"status":"asking"'
      send "$token" "$key" $own
      for _ in $(seq 100); do
        event /events/visitor | grep -o '"status":"inside"' && break
      done
      path=/operator/next
      send "$token" "$key" $own
      stop
      """
    )
    let answers = output.matches(of: /HTTP\/1.1 ([0-9]+)/).map { String($0.1) }
    #expect(
      answers == ["403", "415", "422", "422", "403", "409", "200", "422"],
      "\(output)"
    )
    #expect(output.contains("\"question\":\"The guide would like to know where you are"))
    // No page and no stream contains the secret.
    #expect(output.contains("\n0\n0\n\"status\":\"asking\"\n"), "\(output)")
    #expect(output.contains("\"status\":\"inside\"\n"), "\(output)")
  }

  @Test(.slow, .timeLimit(.minutes(2)))
  func `a port in use is one sentence, --once ends, --public warns who can connect`() throws {
    let output = try serve(
      """
      start --simulate 7 --answers Fixtures/museum/demo-answers.json5
      beaconctl museum serve --plan "$plan" --simulate 7 --port "$port" 2>&1
      echo "code $?"
      stop
      beaconctl museum serve --plan "$plan" --simulate 7 --speed max --once --public --port 0 \
        --answers Fixtures/museum/demo-answers.json5 2>&1
      echo "code $?"
      """
    )
    #expect(
      output.contains(/beaconctl: port [0-9]+ is in use; choose another with --port\ncode 69\n/),
      "\(output)"
    )
    #expect(output.contains("ended with 0\n"), "\(output)")
    #expect(output.contains("everybody who can reach this machine can now see both pages"))
    #expect(
      output.contains(
        /visitor   http:\/\/[^\/]+:[0-9]+\/#[0-9a-z]+\noperator  http:\/\/[^\/]+:[0-9]+\/operator\ncode      [0-9A-Z]{4}-[0-9A-Z]{4}  for [^\n]+\n/
      )
    )
    #expect(output.hasSuffix("code 0\n"), "\(output)")
  }

  /// Whether a program can be started here as another account with capabilities.
  private static let canGrant =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test(.slow, .enabled(if: canGrant, "needs root and setpriv"), .timeLimit(.minutes(2)))
  func `no thread of the server keeps a capability that its unit gave it`() throws {
    let output = try serve(
      """
      launch="setpriv --reuid 65534 --clear-groups --inh-caps +net_raw,+net_admin"
      launch="$launch --ambient-caps +net_raw,+net_admin"
      chown 65534 "$folder"
      $launch grep -h CapEff /proc/self/status
      start --simulate 7 --answers Fixtures/museum/demo-answers.json5
      get / | head -n 1
      grep -hE 'Cap(Inh|Prm|Eff|Amb)' /proc/$server/task/*/status | sort | uniq
      grep -h '^Uid' /proc/$server/status
      stop
      """
    )
    #expect(output.contains("CapEff:\t0000000000003000\n"), "\(output)")
    let none = String(repeating: "0", count: 16)
    let sets = ["Amb", "Eff", "Inh", "Prm"].map { "Cap\($0):\t\(none)\n" }.joined()
    #expect(output.contains("HTTP/1.1 200 OK\r\n\(sets)Uid:\t65534"), "\(output)")
  }

  @Test(.slow, .enabled(if: geteuid() == 0, "needs root"), .timeLimit(.minutes(2)))
  func `a server that root started keeps only the rights to files and low ports`() throws {
    let output = try serve(
      """
      # What a container may have taken from root is not there to be kept.
      own=$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status)
      # CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_NET_BIND_SERVICE.
      printf 'kept %016x of %s\\n' $((0x$own & 0x40f)) "$own"
      start --simulate 7 --answers Fixtures/museum/demo-answers.json5
      get / | head -n 1
      grep -hE 'Cap(Inh|Prm|Eff|Amb)' /proc/$server/task/*/status | sort | uniq
      stop
      """
    )
    let none = String(repeating: "0", count: 16)
    let rights = try #require(output.firstMatch(of: /kept ([0-9a-f]+) of ([0-9a-f]+)/))
    let (kept, own) = (String(rights.output.1), String(rights.output.2))
    #expect(kept != own)
    let sets = "CapAmb:\t\(none)\nCapEff:\t\(kept)\nCapInh:\t\(none)\nCapPrm:\t\(kept)\n"
    #expect(output.contains("HTTP/1.1 200 OK\r\n\(sets)"), "\(output)")
  }

  @Test(.slow, .timeLimit(.minutes(4)))
  func `a reader that reads nothing is dropped and counted, and others continue`()
    async throws
  {
    // It waits for some seconds, on a thread that no other test needs.
    try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try Self.dropSlowReader() }) }
    }
  }

  private static func dropSlowReader() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "output")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let server = Process()
    server.executableURL = BuiltCommand.program
    server.arguments = [
      "museum", "serve", "--plan", "Fixtures/museum/plan.json5", "--simulate", "7", "--port", "0",
      "--speed", "8x", "--answers", "Fixtures/museum/demo-answers.json5",
    ]
    server.currentDirectoryURL = ProjectFiles.root
    server.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_STATE_HOME": folder.path, "BEACONS_CONFIG": "none"]) { $1 }
    server.standardInput = FileHandle.nullDevice
    server.standardOutput = try FileHandle(forWritingTo: output)
    server.standardError = FileHandle.nullDevice
    try server.run()
    defer {
      server.interrupt()
      server.waitUntilExit()
    }
    let port = try #require(try port(in: output))

    let slow = try #require(PageReader("/events/operator", port: port, isSmall: true))
    let quick = try #require(PageReader("/events/operator", port: port))
    #expect(quick.read(until: #""Open pages","2""#, within: 30))
    #expect(quick.read(until: #""Slow readers dropped","1""#, within: 120))
    for _ in 0..<3 { #expect(quick.read(until: "data: {", within: 30)) }
    // What lay in the kernel's buffers is all that it gets.
    slow.readWhatIsThere()
    #expect(slow.count > 0 && slow.count < quick.count, "\(slow.count) of \(quick.count) bytes")
    #expect(server.isRunning)
  }

  /// The port on which a server reports that it listens, once it does.
  private static func port(in output: URL) throws -> UInt16? {
    for _ in 0..<300 {
      let text = try String(contentsOf: output, encoding: .utf8)
      if let match = text.firstMatch(of: /operator +http:\/\/[^:]+:([0-9]+)\//) {
        return UInt16(match.1)
      }
      usleep(100_000)
    }
    return nil
  }
}
