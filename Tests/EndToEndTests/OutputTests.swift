// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The files that the built command writes: never its inputs, whatever descriptors a shell opened, and nothing that others may
/// read if they may not read its input.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  )
)
struct OutputTests {
  /// A folder with a recording `x`, and a copy `x0`.
  private static let start = """
    root=$PWD; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; cd "$d"
    beaconctl convert "$root/Fixtures/captures/walk.btsnoop" x0.jsonl --include-addresses && mv x0.jsonl x0

    """

  @Test(
    arguments: [
      "scan -f x --record /dev/fd/3 --format none 3<>x",
      "scan -f x --record /dev/fd/3 --format none --force 3<>x",
      "scan -f x -o jsonl:/proc/self/fd/3 --format none 3<>x",
      "convert x /dev/fd/3 --to btsnoop 3<>x",
      "scan -f x --record /dev/fd/3 --format none 3>>x", "scan -f x -o jsonl:/dev/fd/3 3>>x",
      "scan -f - -o csv:/dev/stdin --format none 0<>x",
      "scan -f /dev/stdin --record /dev/fd/0 0<>x",
      "scan -f /dev/fd/4 -o csv:/dev/fd/3 4<x 3>>x", "scan -f x -o csv:/dev/stderr 2>>x",
      "scan -f x >>x", "scan -f x 1<>x", "scan -f - <x >>x", "convert - out.btsnoop <x 2>>x",
      "decode - <x >>x", "scan -f x -o csv:hard", "scan -f hard --record soft",
      "scan -f 'x' -f soft -o csv:/dev/fd/3 3>>hard",
      "museum report --plan $root/Fixtures/museum/plan.json5 x --csv /dev/fd/3 3>>x",
      "inspect x >>x", "scan -f x 2<>x", "range -f x --summary --format none 2<>x",
    ]
  )
  func `no descriptor makes an input an output`(_ line: String) throws {
    let run = try BuiltCommand(
      Self.start + """
        cp x0 x; ln x hard; ln -s x soft
        # What should be refused must not fill the disk.
        ulimit -f 20000
        ( beaconctl \(line) ); echo "code $?"
        cmp x x0 && echo same; ls
        """
    )
    // A message would be written into the file.
    let isSilent = line.contains("2>>x") || line.contains("2<>x")
    #expect(run.errors.contains("cannot be both read and written") || isSilent, "\(run.errors)")
    #expect(run.output.contains("code 64\n"), "\(line): \(run.output)\(run.errors)")
    #expect(run.output.contains("same\n"), "\(line): \(run.errors)")
    #expect(run.output.hasSuffix("hard\nsoft\nx\nx0\n"), "\(line): \(run.output)")
  }

  @Test func `a descriptor that is not an input is written as before`() throws {
    let run = try BuiltCommand(
      Self.start + """
        beaconctl scan -f x0 -o csv:/dev/fd/3 --format none 3>new && beaconctl scan -f x0 -o csv:path --format none
        cmp new path && beaconctl scan -f x0 --record /dev/fd/3 --format none 3>>added && wc -l <added
        beaconctl scan -f x0 -o csv:/dev/fd/3 --format none 3>&1 >/dev/null | cmp - path && echo piped
        beaconctl scan -f x0 -o csv:/dev/fd/3 --format none 3<>path; echo "code $?"; cmp new path
        """
    )
    #expect(run.output.contains("piped\n"), "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix("code 64\n"), "\(run.output)\(run.errors)")
    #expect(run.errors.contains("'/dev/fd/3' exists"), "\(run.errors)")
  }

  /// Without the limit of a file's size each of them succeeds.
  @Test(
    arguments: [
      "convert x0 out.csv", "convert x0 out.json", "convert x0 out.jsonl",
      "scan -f x0 -o csv:out --format none", "range -f x0 -o jsonl:out --format none",
      "scan -f x0 --record out --format none",
    ],
    ["", "ln out hard; "]
  )
  func `a command that fails leaves the file that it should replace`(
    _ line: String,
    _ link: String
  ) throws {
    let run = try BuiltCommand(
      Self.start + """
        f=$(grep -oE 'out[a-z.]*' <<<'\(line)')
        ( ulimit -f 4; beaconctl \(line) ); echo "code $?"; ls
        echo old >out; [ $f = out ] || mv out $f; \(link.replacing("out", with: "$f"))
        ( ulimit -f 4; beaconctl \(line) --force ); echo "code $?"; cat $f; ls *.new
        beaconctl \(line) --force; echo "code $?"; head -c 3 $f; cmp hard $f; ls *.new
        """
    )
    let (start, end) = ("code 1\nx0\ncode 1\nold\ncode 0\n", run.output.suffix(3))
    #expect(run.output.hasPrefix(start) && end != "old", "\(run.output)\(run.errors)")
    #expect(run.errors.contains("hard: No such file") == link.isEmpty, "\(run.errors)")
  }

  @Test func `a paced replay that fails names the file with the former content`() throws {
    let run = try BuiltCommand(
      Self.start + """
        echo mine >out
        ( ulimit -f 4; beaconctl scan -f x0 -o csv:out --format none --speed 1000x --force ); echo "code $?"
        cat out.old; echo other >whole; beaconctl scan -f x0 -o csv:whole --format none --speed 1000x --force; ls
        """
    )
    #expect(run.output == "code 1\nmine\nout\nout.old\nwhole\nx0\n", "\(run.output)")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasSuffix("File too large"), "\(run.errors)")
    let words = "beaconctl: out is not complete; its former content is in /"
    let last = lines.last ?? ""
    #expect(last.hasPrefix(words) && last.hasSuffix("/out.old"), "\(run.errors)")
  }

  @Test func `a change that the disk does not take leaves a file with several names`() throws {
    let run = try BuiltCommand(
      Self.start + """
        printf '// %4000s\n{}\n' x >plan.json5; cp plan.json5 before; ln plan.json5 hard
        ( ulimit -f 3; beaconctl name 01020304-0506-0708-090A-0B0C0D0E0F10/1/2 Door --config plan.json5 ); echo "code $?"
        cmp hard before && ls
        """
    )
    #expect(run.output == "code 1\nbefore\nhard\nplan.json5\nx0\n", "\(run.output)\(run.errors)")
  }

  @Test(
    arguments: [
      "convert big out", "scan -f big -o csv:out --format none",
      "scan -f big --record out --format none",
    ]
  )
  func `a replay that a signal ends leaves the file that it should replace`(_ line: String) throws {
    let line = line.replacing("convert big out", with: "convert big out --to jsonl")
    let run = try BuiltCommand(
      Self.start + """
        # Long enough for a signal; the times of the copies do not matter.
        head -1 x0 >big; for i in $(seq 300); do tail -n +2 x0; done >>big
        echo old >out; '\(BuiltCommand.program.path)' \(line) --force &
        until [ -s out.new ]; do sleep 0.01; done; kill -INT $!; wait $!; echo "code $?"; cat out; ls
        """
    )
    #expect(run.output.hasPrefix("code 130\nold\nbig\nout\nx0\n"), "\(run.output)\(run.errors)")
  }

  @Test(arguments: ["022", "077"], ["600", "640", "644"])
  func `what is made of a private recording is private`(_ mask: String, _ mode: String) throws {
    let run = try BuiltCommand(
      Self.start + """
        umask \(mask); cp x0 x.jsonl; chmod \(mode) x.jsonl; plan="$root/Fixtures/museum/plan.json5"
        mkdir out; cd out
        beaconctl convert ../x.jsonl whole.jsonl; beaconctl convert ../x.jsonl whole.btsnoop --include-addresses
        beaconctl convert ../x.jsonl cut.jsonl --since 2026-05-02T10:00:02Z 2>cut.err; rm cut.err
        beaconctl convert - stdin.jsonl <../x.jsonl; beaconctl convert /dev/fd/3 fd.pcap 3<../x.jsonl
        beaconctl scan -f ../x.jsonl -o csv:scan.csv --format none
        beaconctl range -f ../x.jsonl -o jsonl:range.jsonl --format none
        beaconctl museum report --plan "$plan" ../x.jsonl --html report.html --csv report.csv >/dev/null 2>&1
        stat -c '%a' * | sort -u; ls | wc -l
        beaconctl scan -f ../x.jsonl --record rec.jsonl --format none; stat -c %a rec.jsonl
        beaconctl scan -f ../x.jsonl --record wide.jsonl --mode 644 --format none; stat -c %a wide.jsonl
        cat ../x.jsonl | beaconctl convert - piped.jsonl; stat -c %a piped.jsonl
        touch old; echo old >old; chmod 604 old; beaconctl convert ../x.jsonl old --to pcap --force; stat -c %a old
        """
    )
    let isShared = mask == "022" && mode == "644"
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(
      lines == [isShared ? "644" : "600", "9", "600", "644", "600", "604"],
      "\(run.output)\(run.errors)"
    )
  }
}
