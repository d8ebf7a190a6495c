// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The style of both pages, light or dark like the reader's system.
public enum PageStyle {
  /// The colors of all pages.
  package static let colors = """
    :root{color-scheme:light dark;\(ReportStyle.light)}
    @media (prefers-color-scheme:dark){:root{\(ReportStyle.dark)}}
    """

  /// The style of the drawings of floors and of their keys, in these colors.
  package static let drawing = """
    svg{display:block;width:100%;height:auto}
    svg text{font:10px system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;fill:var(--ink)}
    svg .b{font-size:12px;font-weight:600}
    svg .halo{stroke:var(--card);stroke-width:4px;paint-order:stroke;stroke-linejoin:round}
    svg .room{fill:transparent;stroke:var(--wall);stroke-width:2.5;stroke-linejoin:round}
    svg .room.now{fill:var(--accent);fill-opacity:.13}
    svg .door{stroke:var(--card);stroke-width:5}
    svg .spot circle,svg circle.spot{fill:var(--card);stroke:var(--wall);stroke-width:1.5}
    svg .spot.received circle,svg circle.received{fill:var(--f);stroke:var(--accent)}
    svg .spot.shown circle,svg circle.shown{fill:var(--accent);stroke:var(--accent)}
    svg .spot.shown text{fill:var(--on);font-weight:600}
    svg .guide{pointer-events:none}
    svg .guide-ring{fill:none;stroke:var(--r2);stroke-width:4}
    svg .guide-halo{fill:var(--r2);fill-opacity:.28}
    svg .scale{stroke:var(--ink);stroke-width:2;fill:none}
    .key{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;margin:0;padding:0;font-size:.9rem;color:var(--soft)}
    .key svg{display:inline-block;width:1rem;height:1rem;vertical-align:-.15rem;margin-right:.4rem}
    @media (max-width:40rem){svg .spot circle{r:17px}svg .spot text{font-size:20px}svg .b,svg .scale-label{font-size:20px}svg .guide-ring{r:24px}svg .guide-halo{r:31px}.key svg circle{r:6px}}
    """

  /// The style sheet.
  public static let sheet = """
    \(colors)
    *{box-sizing:border-box}
    [hidden]{display:none!important}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
    a{color:var(--accent);text-underline-offset:.2em}
    :focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:3px}
    header{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;justify-content:space-between}
    h1,h2,p{margin:0}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0}
    nav a{display:inline-block;padding:.4rem 0}
    nav a[aria-current]{color:var(--ink);font-weight:650;text-decoration:none}
    .label{color:var(--soft);font-size:1rem;font-weight:400;letter-spacing:0}
    .notice{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:6px;padding:.75rem 1rem;margin:0 0 1rem}
    .visitor header,.visitor main{max-width:48rem;margin:0 auto;padding:1.5rem 1.5rem 0}
    .visitor h1{font-size:1.1rem;font-weight:600}
    .visitor main{padding-top:clamp(1.5rem,7vh,4.5rem);padding-bottom:3rem}
    .visitor section{margin:0 0 clamp(1.75rem,5vh,3rem)}
    .visitor #place{font-size:clamp(1.5rem,4vw,2rem);line-height:1.25;font-weight:500}
    .visitor #title{font-size:clamp(2.4rem,8vw,4rem);line-height:1.1;letter-spacing:-.02em;font-weight:650;text-wrap:balance}
    .visitor .message #title{font-size:clamp(1.8rem,5vw,2.5rem)}
    .visitor #text{font-size:clamp(1.3rem,3.6vw,1.75rem);line-height:1.5;margin-top:1rem;max-width:36rem;text-wrap:pretty}
    .bar{display:flex;gap:.4rem;margin:.5rem 0 .4rem;max-width:20rem}
    .bar span{flex:1;height:.8rem;border-radius:.4rem;border:1.5px solid var(--wall)}
    .bar[aria-valuenow="1"] span:nth-child(-n+1),.bar[aria-valuenow="2"] span:nth-child(-n+2),.bar[aria-valuenow="3"] span:nth-child(-n+3),.bar[aria-valuenow="4"] span{background:var(--accent);border-color:var(--accent)}
    .visitor #sure{font-size:1.25rem}
    .operator header,.operator main{max-width:84rem;margin:0 auto;padding:1.25rem 1.5rem 0}
    .operator main{padding-bottom:3rem}
    .operator h1{font-size:1.5rem;font-weight:650;letter-spacing:-.01em}
    .operator h2,caption{font-size:1.1rem;font-weight:600;text-align:left;margin:0 0 .4rem}
    caption{padding-bottom:.3rem}
    .board{display:grid;grid-template-columns:minmax(0,1.5fr) minmax(0,1fr);grid-template-rows:auto 1fr;gap:1.25rem 2rem;align-items:start;margin-bottom:1.5rem}
    .board .map{grid-column:1;grid-row:1/3}
    .board .live{grid-column:2;grid-row:1}
    .board .side{grid-column:2;grid-row:2}
    .live .label{font-variant-numeric:tabular-nums}
    .stack{display:grid;grid-template-columns:minmax(0,1fr);gap:1.25rem}
    figure{margin:0 0 .75rem;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.75rem}
    figcaption{color:var(--soft);font-size:.9rem}
    dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem;margin:.3rem 0 0}
    dt{color:var(--soft)}
    dd{margin:0;min-height:1.5em}
    .live dd:nth-of-type(2){min-height:3em;font-weight:650}
    section{overflow-x:auto}
    table.exhibits{table-layout:fixed}
    .exhibits th:first-child{width:2.6rem}
    .exhibits thead th:nth-child(3){width:9.5rem}
    .exhibits thead th:nth-child(4){width:4rem}
    .exhibits td,.exhibits th{overflow-wrap:anywhere}
    .exhibits tbody th[colspan]{font-weight:600;padding-top:.7rem}
    .exhibits tbody.now th[colspan]{color:var(--accent)}
    tr.shown td,tr.shown th{font-weight:650}
    table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
    th,td{text-align:left;vertical-align:top;padding:.28rem .9rem .28rem 0;border-top:1px solid var(--line);font-weight:400}
    thead th{color:var(--soft);border-top:0}
    td.none{color:var(--soft)}
    \(drawing)
    .visitor #media img,.visitor #opened-media img{display:block;max-width:100%;height:auto;max-height:60vh;border-radius:8px;margin-top:1rem}
    .visitor audio{display:block;width:100%;max-width:30rem;margin-top:1rem}
    .visitor #opened h2{font-size:clamp(2rem,7vw,3.2rem);line-height:1.1;font-weight:650}
    .visitor #opened-text{font-size:clamp(1.3rem,3.6vw,1.75rem);line-height:1.5;margin-top:1rem;max-width:36rem}
    button,input{font:inherit;color:var(--ink);background:var(--card);border:1.5px solid var(--wall);border-radius:8px;padding:.55rem .9rem;min-height:2.75rem}
    button{cursor:pointer}
    form{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.6rem 0}
    input{width:7rem}
    #follow{margin-top:1.25rem}
    #list{list-style:none;margin:.8rem 0 0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5rem}
    #list button{width:100%;text-align:left}
    #list .no{color:var(--soft);display:inline-block;min-width:2.8rem;font-variant-numeric:tabular-nums}
    @media (max-width:60rem){.board{grid-template-columns:minmax(0,1fr);grid-template-rows:none}.board .map,.board .live,.board .side{grid-column:1;grid-row:auto}}
    @media (max-width:40rem){.operator header,.operator main{padding-inline:1rem}figure{padding:.35rem}th,td{padding-right:.5rem}.exhibits thead th:nth-child(3){width:7rem}}
    """
}
