// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The page on which a curator draws rooms and places beacons.
///
/// It edits a ``PlanDraft``, which its script loads and saves.
package enum PlanEditorPage {
  /// The path of the page.
  package static let path = "/"
  /// The path of its style sheet.
  package static let style = "/editor.css"
  /// The path of its script.
  package static let script = "/editor.js"
  /// Where the draft is loaded from and saved to.
  package static let draft = "/plan"

  private static let tools = [
    ("select", "Select and move"), ("room", "Draw a room"), ("beacon", "Place a beacon"),
    ("door", "Place a door"), ("entrance", "Place the entrance"),
  ]

  /// The page as HTML; `title` is the museum's name or the file's.
  package static func html(title: String) -> String {
    var page = Markup()
    page.markup("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
    page.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
    page.markup("<meta name=\"color-scheme\" content=\"light dark\">")
    page.element("title", "\(title): plan")
    page.markup("<link rel=\"icon\" href=\"data:,\">")
    page.open("link", [("rel", "stylesheet"), ("href", style)])
    page.open("script", [("src", script), ("defer", "")])
    page.markup("</script></head>\n")
    page.open("body", [("data-plan", draft)])
    page.markup("<header>")
    page.element("h1", title)
    page.markup("<p><button id=\"undo\" type=\"button\" disabled>Undo</button> ")
    page.markup("<button id=\"save\" type=\"button\" disabled>Save</button></p></header>\n<main>")
    page.markup("<noscript><p>This page needs scripts.</p></noscript>")
    writeTools(to: &page)
    page.markup(
      """
      <div class="board"><section aria-label="Plan">
      <svg id="plan" role="application" aria-label="Floor plan, in metres"><image id="picture" opacity=".55"/>
      <g id="grid"></g><g id="drawn"></g><g id="drag"></g></svg>
      <p id="where" class="soft">&nbsp;</p>
      <p id="message" role="status">&nbsp;</p></section>
      <div class="side"><section id="chosen" aria-label="Selection"><h2>Selection</h2><form id="fields"></form></section>
      <section><h2>Floor</h2><p><select id="floor" aria-label="Floor"></select>
      <button id="add-floor" type="button">Add a floor</button></p></section>
      <section><h2>Image below the plan</h2>
      <p class="soft">It stays in this browser, and is not saved with the plan.</p>
      <p><input id="file" type="file" accept="image/png,image/jpeg,image/webp" aria-label="Image"></p>
      <p><label>Width in metres <input id="image-width" type="number" min="0.1" step="0.1" value="20"></label>
      <label>Left <input id="image-x" type="number" step="0.1" value="0"></label>
      <label>Top <input id="image-y" type="number" step="0.1" value="0"></label></p></section>
      <section><h2>Rooms</h2><ul id="rooms"></ul></section>
      <section><h2>Exhibits</h2><ul id="exhibits"></ul></section></div></div>
      </main></body></html>

      """
    )
    return page.text
  }

  private static func writeTools(to page: inout Markup) {
    page.markup("<form id=\"tools\"><fieldset><legend>Tool</legend>")
    for (index, tool) in tools.enumerated() {
      page.markup("<label><input type=\"radio\" name=\"tool\" value=\"\(tool.0)\"")
      page.markup(index == 0 ? " checked> " : "> ")
      page.write(tool.1)
      page.markup("</label> ")
    }
    page.markup("</fieldset></form>\n")
  }

  /// The style sheet.
  package static let sheet = """
    :root{color-scheme:light dark;\(ReportStyle.light)}
    @media (prefers-color-scheme:dark){:root{\(ReportStyle.dark)}}
    *{box-sizing:border-box}
    [hidden]{display:none!important}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
    header,main{max-width:90rem;margin:0 auto;padding:1rem 1.5rem 0}
    header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;justify-content:space-between}
    h1{font-size:1.4rem;font-weight:650}
    h2{font-size:1.05rem;font-weight:600}
    h1,h2,p{margin:0 0 .4rem}
    .soft{color:var(--soft);font-size:.92rem}
    .board{display:grid;grid-template-columns:minmax(0,1.9fr) minmax(17rem,1fr);gap:1.5rem;align-items:start;padding-bottom:3rem}
    .side{display:grid;gap:1.1rem}
    fieldset{border:1px solid var(--line);border-radius:8px;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin:0 0 1rem}
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
    button,select,input{font:inherit;color:var(--ink);background:var(--card);border:1.5px solid var(--wall);border-radius:8px;padding:.4rem .7rem}
    button:disabled{color:var(--soft);border-color:var(--line)}
    input[type=number]{width:6.5rem}
    #fields{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.4rem .8rem;align-items:center}
    #fields button{justify-self:start}
    ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.35rem}
    li button{padding:.2rem .6rem}
    li button[aria-pressed=true]{border-color:var(--accent);border-width:2.5px;font-weight:650}
    #message{white-space:pre-line;min-height:1.5em}
    #plan{display:block;width:100%;height:auto;max-height:78vh;background:var(--card);border:1px solid var(--line);border-radius:10px;touch-action:none}
    #plan text{font-size:.5px;fill:var(--ink);pointer-events:none}
    #plan .name{font-weight:600;font-size:.6px}
    #plan .lines{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
    #plan .room{fill:var(--accent);fill-opacity:.06;stroke:var(--wall);stroke-width:2.5;vector-effect:non-scaling-stroke}
    #plan .room.chosen{fill-opacity:.16;stroke:var(--accent)}
    #plan .spot{fill:var(--card);stroke:var(--wall);stroke-width:2;vector-effect:non-scaling-stroke}
    #plan .spot.chosen,#plan .door.chosen,#plan .entrance.chosen{stroke:var(--accent);stroke-width:4}
    #plan .door{fill:var(--card);stroke:var(--wall);stroke-width:2;vector-effect:non-scaling-stroke}
    #plan .entrance{fill:var(--f);stroke:var(--wall);stroke-width:2;vector-effect:non-scaling-stroke}
    #plan .corner{fill:var(--accent)}
    #plan .new{fill:none;stroke:var(--accent);stroke-width:2;stroke-dasharray:6 4;vector-effect:non-scaling-stroke}
    #plan [data-kind]{cursor:pointer}
    @media (max-width:60rem){.board{grid-template-columns:minmax(0,1fr)}header,main{padding-inline:1rem}}
    """
}
