// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The style of the report, light or dark like the reader's system, and for printing.
enum ReportStyle {
  /// The number of different room colors.
  static let roomColors = 8

  /// The content security policy: the page may not load or run anything.
  static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

  /// The colors of the light style.
  static let light = """
    --ink:#1d2430;--soft:#525d6e;--faint:#8792a2;--line:#d5dbe3;--page:#fbfaf8;--card:#fff;--wall:#6d7787;--mark:#1d2430;
    --r1:#2f6db3;--r2:#a95815;--r3:#2c7f55;--r4:#8450a8;--r5:#b03f4c;--r6:#1f7f8c;--r7:#77701c;--r8:#a64484;
    --i:#0b3d6e;--m:#3f87c6;--f:#a9cdec;--on:#fff;--accent:#1f5fa6
    """
  /// The colors of the dark style.
  static let dark = """
    --ink:#e8ebf0;--soft:#b0b9c6;--faint:#7f8a9a;--line:#3a4453;--page:#14181f;--card:#1b212a;--wall:#8d98a8;--mark:#f2f4f7;
    --r1:#74a9e6;--r2:#e8a266;--r3:#6fc295;--r4:#bd97de;--r5:#ea8790;--r6:#67c3cf;--r7:#c8c065;--r8:#e08dc0;
    --i:#d6eaff;--m:#6aaee8;--f:#35638f;--on:#10151c;--accent:#8bbcf0
    """

  /// The style sheet.
  static let sheet = """
    :root{color-scheme:light dark;\(light)}
    @media (prefers-color-scheme:dark){:root{\(dark)}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
    main,header,footer,nav{max-width:70rem;margin:0 auto;padding:0 1.5rem}
    header{padding-top:2.75rem}
    h1{font-size:2.1rem;line-height:1.15;margin:0 0 .35rem;letter-spacing:-.015em;font-weight:650}
    h2{font-size:1.3rem;line-height:1.25;margin:0 0 .35rem;letter-spacing:-.005em}
    p{margin:.3rem 0 .9rem;max-width:46rem}
    .lead{color:var(--soft);font-size:1.05rem;margin:0}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1.25rem 0 0;padding:.6rem 0;border-block:1px solid var(--line)}
    a{color:var(--accent)}
    nav a{text-decoration:none}
    nav a:hover{text-decoration:underline}
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
    .skip{position:absolute;left:-99rem}
    .skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem}
    .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.5rem 0}
    .tiles div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem}
    .tiles dt{color:var(--soft);font-size:.82rem}
    .tiles dd{margin:0;font-size:1.55rem;font-weight:600;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
    section{margin:2.75rem 0}
    section>p{color:var(--soft)}
    .pair{display:grid;grid-template-columns:minmax(0,1.65fr) minmax(0,1fr);gap:1.25rem;align-items:start}
    .stack{display:grid;grid-template-columns:minmax(0,1fr);gap:1.25rem}
    figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem;overflow-x:auto}
    figcaption{color:var(--soft);font-size:.85rem;margin-top:.6rem}
    svg{display:block;width:100%;height:auto;max-width:100%}
    svg text{font:12px system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;fill:var(--ink)}
    svg .s{fill:var(--soft)}
    svg .b{font-weight:600}
    svg .on{fill:var(--on);font-weight:600}
    svg .halo{stroke:var(--card);stroke-width:4px;paint-order:stroke;stroke-linejoin:round}
    svg .grid{stroke:var(--line);stroke-width:1;fill:none}
    svg .wall{stroke:var(--wall);stroke-width:2.5;fill:none;stroke-linejoin:round}
    svg .door{stroke:var(--card);stroke-width:5}
    svg .path{stroke:var(--mark);stroke-width:1.8;fill:none;stroke-linejoin:round;stroke-dasharray:1 5;stroke-linecap:round}
    svg .tip{fill:var(--mark)}
    svg .flow{fill:none;stroke:var(--mark);stroke-opacity:.55;stroke-linecap:round}
    svg .none{fill:none;stroke:var(--faint);stroke-width:1.5;stroke-dasharray:3 3}
    svg .median{stroke:var(--mark);stroke-width:2.5}
    svg .few-mark{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:2 3}
    svg .scale{stroke:var(--ink);stroke-width:2;fill:none}
    svg .i{fill:var(--i)}svg .m{fill:var(--m)}svg .f{fill:var(--f)}
    \(roomRules)
    svg .thin{fill-opacity:.16}
    svg .area{fill-opacity:1}
    svg .band{fill-opacity:.75}
    .table{overflow:auto;max-height:34rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
    table{border-collapse:collapse;width:100%;font-size:.86rem;font-variant-numeric:tabular-nums}
    caption{text-align:left;padding:.7rem .9rem .5rem;color:var(--soft)}
    th,td{padding:.32rem .6rem;text-align:left;border-top:1px solid var(--line);vertical-align:baseline}
    th:first-child,td:first-child{padding-left:.9rem}
    thead th{position:sticky;top:0;background:var(--card);font-weight:600;color:var(--soft);border-top:0;box-shadow:inset 0 -1px var(--line);white-space:nowrap}
    tbody th{font-weight:500}
    .n{text-align:right;white-space:nowrap}
    abbr{text-decoration:underline dotted var(--faint);text-underline-offset:3px}
    .few{color:var(--soft);font-style:italic}
    .key{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;margin:.7rem 0 0;padding:0;font-size:.85rem;color:var(--soft)}
    .key svg{display:inline-block;width:.9rem;height:.9rem;vertical-align:-.1rem;margin-right:.4rem}
    .empty{color:var(--soft);font-style:italic}
    footer{border-top:1px solid var(--line);margin-top:3.5rem;padding-block:1.25rem 3rem;color:var(--soft);font-size:.9rem}
    footer dt{font-weight:600;color:var(--ink);margin-top:.5rem}
    footer dd{margin:0;max-width:46rem}
    @media (max-width:56rem){.pair{grid-template-columns:minmax(0,1fr)}figure svg{min-width:34rem}.key svg{min-width:0}h1{font-size:1.7rem}main,header,footer,nav{padding-inline:1rem}}
    @page{margin:14mm 12mm}
    @media print{
    :root{color-scheme:light;\(light);--page:#fff}
    body{font-size:10pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
    nav,.skip{display:none}
    main,header,footer{max-width:none;padding-inline:0}
    header{padding-top:0}
    section{margin:1.4rem 0}
    .pair{grid-template-columns:minmax(0,1fr)}
    .table{max-height:none;overflow:visible}
    figure{overflow:visible}
    figure svg{min-width:0}
    table{font-size:7.5pt}
    th,td{padding:.18rem .3rem}
    thead th{position:static}
      tr,figure,.tiles{break-inside:avoid}
    h2,h2+p{break-after:avoid}
    p{break-inside:avoid}
    figure svg{max-height:200mm}
    }
    """

  private static var roomRules: String {
    (1...roomColors).map {
      "svg .r\($0){fill:var(--r\($0))}svg .l\($0){stroke:var(--r\($0));fill:none}"
    }
    .joined(separator: "\n")
  }
}
