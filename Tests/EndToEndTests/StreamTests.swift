// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// What only the built program can show: its streams, pipes, signals and exit codes.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(1))
)
struct StreamTests {
  static let walk = "Fixtures/captures/walk.btsnoop"
  /// A folder for a script's files.
  static let folder = "folder=$(mktemp -d); trap 'rm -r $folder' EXIT"
  static let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  @Test func `a dash is standard input`() throws {
    let named = try BuiltCommand("beaconctl scan --from \(Self.walk)")
    #expect(named.output.split(separator: "\n").count == 628)
    for script in [
      "beaconctl scan --from - <\(Self.walk)", "cat \(Self.walk) | beaconctl scan --from -",
    ] {
      let run = try BuiltCommand(script)
      #expect(run.code == 0)
      #expect(run.output == named.output)
    }
    let inspected = try BuiltCommand("beaconctl inspect - --format json <\(Self.walk)")
    #expect(
      try inspected.output == BuiltCommand("beaconctl inspect \(Self.walk) --format json").output
    )
    let converted = try BuiltCommand(
      "beaconctl convert - - --to jsonl <\(Self.walk) | beaconctl scan --from -"
    )
    #expect(converted.output == named.output)
  }

  @Test(arguments: [
    ("beaconctl scan --from /no/file", 66), ("beaconctl inspect /", 66),
    ("beaconctl inspect README.md", 65), ("beaconctl range --client guest --from /dev/null", 64),
    ("beaconctl scan", 69),
    ("beaconctl decode zz", 65), ("beaconctl decode - </", 66),
    ("beaconctl scan --from /dev/null", 0), ("beaconctl --version", 0),
    ("beaconctl service run --state README.md", 64),
    ("beaconctl service run --bus session --state README.md/service --from /dev/null", 64),
    ("echo '{' | beaconctl config check -", 2),
    ("echo '{' | beaconctl config show --config -", 78),
  ])
  func `an exit code shows how it ended`(_ script: String, _ code: Int32) throws {
    let run = try BuiltCommand(script)
    #expect(run.code == code)
    #expect(run.errors.split(separator: "\n").count <= 1, "\(run.errors)")
  }

  @Test func `standard input that is a file is an input by its name as well`() throws {
    let run = try BuiltCommand(
      "\(Self.folder); in=$folder/in.jsonl; beaconctl convert \(Self.walk) $in; "
        + "beaconctl convert - $in --force <$in; code=$?; wc -c <$in; exit $code"
    )
    #expect(run.code == 64)
    #expect(run.output == "158132\n")
  }

  @Test func `permissions that a user names do not depend on the process's mask`() throws {
    let run = try BuiltCommand(
      "\(Self.folder); umask 077; cd $folder; beaconctl scan --from $OLDPWD/\(Self.walk) "
        + "--format none --record air.jsonl --mode 640; stat -c %a air.jsonl"
    )
    #expect(run.output == "640\n", "\(run.errors)")
  }

  @Test func `a pipe with more than a file may have is not read to its end`() throws {
    let run = try BuiltCommand("yes | beaconctl config check -")
    #expect(run.code == 65)
    #expect(run.errors == "beaconctl: cannot read standard input: it is larger than 16 MiB\n")
  }

  @Test(arguments: ["convert $in - --to jsonl", "scan --from $in", "scan --from - <$in"])
  func `a run does not write to the file that it reads`(_ arguments: String) throws {
    // It would read its own output, without an end.
    let run = try BuiltCommand(
      "\(Self.folder); in=$folder/in.jsonl; beaconctl convert \(Self.walk) $in; "
        + "beaconctl \(arguments) >>$in; code=$?; wc -c <$in; exit $code"
    )
    #expect(run.code == 64)
    #expect(run.output == "158132\n")
    #expect(run.errors.contains("'standard output' is "), "\(run.errors)")
  }

  @Test(arguments: [
    "scan --from \(walk)", "range --from \(walk) -s \(gallery) --format json", "inspect \(walk)",
    "decode 00", "config list", "completion bash", "--help", "convert \(walk) - --to pcap",
  ])
  func `a full disk is one sentence`(_ arguments: String) throws {
    let run = try BuiltCommand("beaconctl \(arguments) >/dev/full")
    #expect(run.code == 1)
    #expect(
      run.errors == "beaconctl: cannot write standard output: No space left on device\n"
    )
  }

  @Test(arguments: [
    "scan --from \(walk)", "range --from \(walk) -s \(gallery)", "convert \(walk) - --to jsonl",
    "config list",
  ])
  func `a reader that has enough ends it quietly`(_ arguments: String) throws {
    let run = try BuiltCommand("beaconctl \(arguments) | head -n 1; exit ${PIPESTATUS[0]}")
    #expect(run.code == 0)
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func `a signal ends a paced replay after the deliveries`(_ signal: String, _ code: Int32)
    throws
  {
    let run = try BuiltCommand(
      """
      \(Self.folder)
      '\(BuiltCommand.program.path)' scan --from \(Self.walk) --speed 1x >$folder/output &
      until [ -s $folder/output ]; do sleep 0.05; done
      kill -\(signal) $!; wait $!; code=$?
      cat $folder/output; exit $code
      """
    )
    #expect(run.code == code)
    #expect(run.errors.isEmpty)
    #expect(!run.output.isEmpty && run.output.hasSuffix("}\n"))
  }

  /// The Swift runtime reports these as crashes if it finds its reporter, and the process then ran on.
  @Test(arguments: [("QUIT", 131), ("ABRT", 134)])
  func `a signal that leaves a core file ends the process`(_ signal: String, _ code: Int32) throws {
    let run = try BuiltCommand(
      """
      \(Self.folder)
      # A shell lets its jobs ignore QUIT.
      ulimit -c 0; export SWIFT_BACKTRACE=enable=yes,timeout=1s
      env --default-signal=QUIT '\(BuiltCommand.program.path)' scan --from \(Self.walk) --speed 1x >$folder/output &
      until [ -s $folder/output ]; do sleep 0.05; done
      kill -\(signal) $!; timeout 5 tail --pid=$! -s 0.1 -f /dev/null || { kill -9 $!; exit 99; }
      wait $!
      """
    )
    #expect(run.code == code)
    #expect(!run.errors.contains("crash"))
  }

  @Test(arguments: [
    ("scan --from -", walk, 628), ("decode -", "/dev/stdin <<<00", 1),
    ("range --from - --format jsonl -s F7826DA6-4FA2-4E98-8024-BC5B71E0893E", walk, 23),
  ])
  func `output is written before waiting for more, and a signal ends the wait`(
    _ arguments: String,
    _ input: String,
    _ lines: Int
  ) throws {
    // The shell keeps the pipe open, so that its end is never read.
    let run = try BuiltCommand(
      """
      \(Self.folder)
      mkfifo $folder/input; exec 3<>$folder/input; : >$folder/output
      '\(BuiltCommand.program.path)' \(arguments) <$folder/input >$folder/output &
      cat \(input) >&3
      until [ "$(wc -l <$folder/output)" -ge \(lines) ]; do sleep 0.05; done
      kill -INT $!; timeout 2 tail --pid=$! -s 0.1 -f /dev/null || exit 99
      wait $!; code=$?
      cat $folder/output; exit $code
      """
    )
    #expect(run.code == 130)
    #expect(run.output.split(separator: "\n").count == lines)
    #expect(run.errors.isEmpty)
  }

  /// Every signal that ends a run, ends a live recording of it with its last line.
  @Test(arguments: [
    "HUP", "TERM", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "IO", "PWR", "STKFLT",
  ])
  func `a signal ends a run with all that it keeps`(_ signal: String) throws {
    let run = try BuiltCommand(
      """
      \(Self.folder)
      '\(BuiltCommand.program.path)' scan --from \(Self.walk) --speed 1x --record $folder/r.jsonl >$folder/output &
      until [ -s $folder/output ]; do sleep 0.05; done
      kill -\(signal) $!; timeout 2 tail --pid=$! -s 0.1 -f /dev/null || exit 99
      wait $!; code=$?
      tail -n 1 $folder/r.jsonl; ls $folder; exit $code
      """
    )
    #expect(run.code == 143)
    #expect(run.errors.isEmpty && run.output.hasPrefix(#"{"v":1,"type":"end""#), "\(run.output)")
    #expect(run.output.hasSuffix("output\nr.jsonl\n"))
  }

  @Test func `a hangup that is ignored stays ignored`() throws {
    let run = try BuiltCommand(
      """
      \(Self.folder); trap '' HUP
      '\(BuiltCommand.program.path)' scan --from \(Self.walk) --speed 1x >$folder/output &
      until [ -s $folder/output ]; do sleep 0.05; done
      kill -HUP $!; sleep 1; kill -0 $! && kill -INT $!; wait $!
      """
    )
    #expect(run.code == 130)
  }

  /// Not with a sanitizer, whose files the limit cuts.
  @Test(.slow) func `a file at the limit of its size is one sentence`() throws {
    let limited = try BuiltCommand(
      "\(Self.folder); ulimit -f 8; beaconctl convert \(Self.walk) $folder/c.jsonl; code=$?; ls $folder; exit $code"
    )
    #expect(limited.code == 1 && limited.errors.contains("File too large"), "\(limited.errors)")
  }

  /// Captures of many records without any input, which no run would notice to be long.
  @Test(arguments: [
    ("btsnoop", "62 74 73 6e 6f 6f 70 00 00 00 00 01 00 00 03 ea"),
    ("pcap", "d4 c3 b2 a1 02 00 04 00 00 00 00 00 00 00 00 00 ff ff 00 00 c9 00 00 00"),
    ("jsonl", ""),
  ])
  func `a signal ends the reading of records without inputs`(
    _ format: String,
    _ head: String
  ) throws {
    let header =
      format == "jsonl"
      ? #"{"v":1,"type":"capture","tool":"beaconctl","version":"0.1.0","receivers":[],"profile":null,"redacted":true}"#
        + "\\n" : head.split(separator: " ").map { "\\x\($0)" }.joined()
    for command in ["inspect FILE", "scan --from FILE --format none", "convert FILE out.jsonl"] {
      let run = try BuiltCommand(
        """
        \(Self.folder); cd $folder; printf '\(header)' >FILE; truncate -s 20G FILE
        '\(BuiltCommand.program.path)' \(command) & sleep 0.5
        if kill -INT $!; then timeout 2 tail --pid=$! -s 0.1 -f /dev/null || exit 99; wait $!; else wait $!; exit 130; fi
        """
      )
      #expect(run.code == 130, "\(command) \(run.errors)")
    }
  }

  @Test func `no number of descriptors ends it without a sentence`() throws {
    for count in [3, 4, 6, 7, 8, 12, 20, 26, 27, 40] {
      for command in [
        "scan --from \(Self.walk) --format none", "config list", "inspect \(Self.walk)",
      ] {
        let run = try BuiltCommand("ulimit -n \(count); beaconctl \(command) >/dev/null")
        let isRefused = run.code == 69 && run.errors.contains("files may be opened")
        // The shell may be refused its own.
        let isShell =
          run.errors.contains("bash:") || run.errors.contains("loading shared libraries")
        #expect(run.code == 0 || isRefused || isShell, "\(count) \(run.code) \(run.errors)")
      }
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")))
  func `a hook and a desktop that do not end share the time after a signal`() throws {
    let run = try BuiltCommand(
      """
      \(Self.folder)
      dbus-daemon --session --address=unix:path=$folder/bus --nofork 2>/dev/null & bus=$!
      while [ ! -S $folder/bus ]; do sleep 0.05; done
      kill -STOP $bus
      export DBUS_SESSION_BUS_ADDRESS=unix:path=$folder/bus
      '\(BuiltCommand.program.path)' monitor --from \(Self.walk) --drain -r a=\(Self.gallery) --format none --notify \
        --exec "touch $folder/ran; trap '' TERM; sleep 20; sleep 20" 2>/dev/null & run=$!
      until [ -e $folder/ran ]; do sleep 0.05; done
      start=$(date +%s%N); kill $run; wait $run; code=$?
      echo $code $(( ($(date +%s%N) - start) / 1000000 ))
      kill -KILL $bus
      """
    )
    let words = run.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    #expect(words.count == 2 && words[1] < 900, "\(run.output)\(run.errors)")
  }

  @Test func `too few threads and too small a stack are a sentence`() throws {
    let words = "scan --from \(Self.walk) --format none"
    let small = try BuiltCommand("ulimit -s 64; beaconctl \(words)")
    #expect(small.code == 69 && small.errors.contains("(ulimit -s)"), "\(small.errors)")
    // Root may have any number of processes; this account has no other.
    let other = geteuid() == 0 ? "setpriv --reuid 61234 --clear-groups" : ""
    let few = try BuiltCommand("ulimit -u 1; exec \(other) '\(BuiltCommand.program.path)' \(words)")
    #expect(few.code == 69 && few.errors.contains("(ulimit -u)"), "\(few.errors)")
  }

  @Test func `more captures than descriptors are merged`() throws {
    let script = """
      \(Self.folder); beaconctl convert \(Self.walk) - --to jsonl | head -n 9 >$folder/0.jsonl
      for n in $(seq 80); do cp $folder/0.jsonl $folder/$n.jsonl; done
      beaconctl scan --from "$folder/*.jsonl" | md5sum
      """
    let all = try BuiltCommand(script)
    let few = try BuiltCommand("ulimit -n 64; " + script)
    #expect(few.code == 0 && few.output == all.output && few.errors == all.errors, "\(few.errors)")
  }

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func `no file gets the number of a stream that is closed`(_ closed: String) throws {
    let run = try BuiltCommand(
      """
      \(Self.folder); cp \(Self.walk) $folder/in
      beaconctl scan --from $folder/in --record $folder/open.jsonl --format none
      beaconctl scan --from $folder/in --record $folder/closed.jsonl --format none --summary \(closed)
      cmp $folder/in \(Self.walk) && cmp $folder/open.jsonl $folder/closed.jsonl
      """
    )
    #expect(run.code == 0, "\(run.errors)")
  }

  @Test(
    .enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/sbin/setcap"))
  )
  func `a file with capabilities starts programs too`() throws {
    let run = try BuiltCommand(
      """
      \(Self.folder); chmod 755 $folder; cp '\(BuiltCommand.program.path)' $folder/b; cp \(Self.walk) $folder/c
      chmod 644 $folder/c; setcap cap_net_raw+ep $folder/b || exit 5
      setpriv --reuid=65534 --clear-groups env XDG_STATE_HOME=$folder/s A=1 $folder/b monitor --from $folder/c \
        -r a=\(Self.gallery) --drain --format none --exec 'echo ran $A'
      """
    )
    if run.code != 5 { #expect(run.code == 0 && run.errors.contains("ran 1"), "\(run.errors)") }
  }

  @Test(arguments: [
    "rehearse", "config check", "museum plan check", "scan --from \(walk) --config",
  ])
  func `a signal ends the wait for a file that is a pipe`(_ arguments: String) throws {
    let run = try BuiltCommand(
      """
      \(Self.folder)
      mkfifo $folder/pipe; exec 3<>$folder/pipe
      '\(BuiltCommand.program.path)' \(arguments) $folder/pipe 3>&- &
      # Before it is the command, it is the shell, which has the pipe open too and ignores the signal.
      until [[ $(readlink /proc/$!/exe) = */beaconctl ]] && ls -l /proc/$!/fd 2>/dev/null | grep -q $folder/pipe; do
        sleep 0.05
      done
      kill -INT $!; timeout 2 tail --pid=$! -s 0.1 -f /dev/null || exit 99
      wait $!
      """
    )
    #expect(run.code == 130)
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func `a signal ends the wait for a reader that does not read`(_ signal: String, _ code: Int32)
    throws
  {
    let run = try BuiltCommand(
      """
      \(Self.folder)
      mkfifo $folder/pipe; exec 3<>$folder/pipe
      '\(BuiltCommand.program.path)' scan --from \(Self.walk) >$folder/pipe &
      until timeout 0.1 head -c 1 <&3 | grep -q '{'; do sleep 0.05; done; sleep 0.5
      kill -\(signal) $!; timeout 2 tail --pid=$! -s 0.1 -f /dev/null || exit 99
      wait $!
      """
    )
    #expect(run.code == code)
    #expect(run.errors.isEmpty)
  }

  @Test func `standard input that is also named is read once`() throws {
    let once = try BuiltCommand("beaconctl scan --from \(Self.walk)")
    for words in ["--from - --from /dev/stdin", "--from \(Self.walk) --from -"] {
      let run = try BuiltCommand("beaconctl scan \(words) <\(Self.walk)")
      #expect(run.output == once.output)
      #expect(run.errors.contains("it is read once"))
    }
  }

  @Test func `a recording goes to standard output`() throws {
    for name in ["-", "/dev/stdout"] {
      let run = try BuiltCommand(
        "\(Self.folder); cd $folder; beaconctl scan --from $OLDPWD/\(Self.walk) --format none"
          + " --record \(name) | beaconctl scan --from -; ls"
      )
      #expect(run.output == (try BuiltCommand("beaconctl scan --from \(Self.walk)").output))
    }
    // A stream has no name that could be another file's.
    let run = try BuiltCommand("beaconctl record - --rotate 1M")
    #expect(run.code == 64 && run.errors.contains("is a stream"))
  }

  @Test func `every line of decode is answered, and a bad one is named`() throws {
    let frame = "1aff4c000215f7826da64fa24e988024bc5b71e0893e00010002c5"
    let run = try BuiltCommand(
      "printf '%s\\n' 0201061AFF4C00 'zz' '' '\(frame)' ' 02 01 06 ' '0' '\(frame)'"
        + " | beaconctl decode --format jsonl -"
    )
    #expect(run.code == 65)
    #expect(
      run.errors == """
        beaconctl: line 2, column 1: 'z' is not a hexadecimal digit
        beaconctl: line 6, column 2: a byte has two digits; the last has one

        """
    )
    let reasons = run.output.split(separator: "\n").map {
      $0.split(separator: "\"reason\":").last.map(String.init) ?? ""
    }
    #expect(
      reasons == [
        "\"structureOverruns\"}", "\"notHexadecimal\"}", "\"empty\"}", "null}",
        "\"noManufacturerData\"}", "\"notHexadecimal\"}", "null}",
      ]
    )
  }
}
