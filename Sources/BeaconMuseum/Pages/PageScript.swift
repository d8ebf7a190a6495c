// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The script of both pages: it follows a stream of states, shows the latest, and shows when the stream is lost.
public enum PageScript {
  /// The script's source.
  public static let source = """
    'use strict';
    (() => {
      const byId = (id) => document.getElementById(id);
      // Unchanged text is not written again, so a screen reader announces nothing twice.
      const put = (element, text) => {
        if (element && element.textContent !== text) element.textContent = text;
      };
      const show = (element, isShown) => { if (element) element.hidden = !isShown; };

      const showVisitor = (state) => {
        put(byId('place'), state.place || '');
        show(byId('where'), state.place !== null);
        show(byId('before'), state.exhibit);
        byId('exhibit').classList.toggle('message', !state.exhibit);
        // An exhibit's text is in the museum's language, for which this page may have no phrases.
        byId('exhibit').lang = state.exhibit ? byId('place').lang : document.documentElement.lang;
        put(byId('title'), state.title);
        put(byId('text'), state.text || '');
        const isSure = state.level !== null;
        show(byId('confidence'), isSure);
        const bar = byId('bar');
        bar.setAttribute('aria-valuenow', isSure ? state.level : 0);
        bar.setAttribute('aria-valuetext', isSure ? state.sure : '');
        put(byId('sure'), isSure ? state.sure : '');
      };

      const cells = (body, rows) => {
        const width = body.parentElement.tHead.rows[0].cells.length;
        const wanted = rows.length ? rows : [['none']];
        while (body.rows.length > wanted.length) body.deleteRow(-1);
        wanted.forEach((row, index) => {
          const line = body.rows[index] || body.insertRow(-1);
          while (line.cells.length > row.length) line.deleteCell(-1);
          row.forEach((text, column) => put(line.cells[column] || line.insertCell(-1), text));
          line.cells[0].className = rows.length ? '' : 'none';
          line.cells[0].colSpan = rows.length ? 1 : width;
        });
      };
      const facts = (list, rows) => {
        while (list.children.length < 2 * rows.length) {
          list.append(document.createElement(list.children.length % 2 ? 'dd' : 'dt'));
        }
        rows.flat().forEach((text, index) => put(list.children[index], text));
      };
      const mark = (name, selector, isMarked) => {
        for (const element of document.querySelectorAll(selector)) {
          element.classList.toggle(name, isMarked(element));
        }
      };

      const showOperator = (state) => {
        put(byId('time'), state.time || '');
        facts(byId('facts'), state.facts);
        cells(byId('near'), state.near);
        cells(byId('radios'), state.radios);
        cells(byId('counts'), state.counts);
        mark('now', '[data-room]', (room) => Number(room.dataset.room) === state.room);
        mark('shown', '[data-exhibit]', (spot) => Number(spot.dataset.exhibit) === state.exhibit);
        mark('received', '[data-exhibit]', (spot) => state.received.includes(Number(spot.dataset.exhibit)));
        mark('now', '[data-room-row]', (row) => Number(row.dataset.roomRow) === state.room);
        for (const row of document.querySelectorAll('[data-room-row]')) {
          put(row.querySelector('.here'), Number(row.dataset.roomRow) === state.room ? 'here' : '');
        }
        for (const drawing of document.querySelectorAll('svg[data-level]')) {
          const guide = drawing.querySelector('.guide');
          const isHere = Number(drawing.dataset.level) === state.level;
          guide.toggleAttribute('hidden', !isHere);
          if (isHere) guide.setAttribute('transform', `translate(${state.x} ${state.y})`);
        }
      };
      // A state without a level or room matches no drawing and no row, since null is no number.
      const draw = document.body.classList.contains('visitor') ? showVisitor : showOperator;

      // The server sends something every 15 seconds; three times as long without data is a lost connection.
      const patience = 45000;
      const again = 2000;
      let stream;
      let watch;
      let edition;
      const open = () => {
        if (stream) stream.close();
        stream = new EventSource(document.body.dataset.events);
        listen();
        stream.onopen = () => { show(byId('lost'), false); listen(); };
        stream.onmessage = (event) => {
          // The guide was restarted with another plan, so this page is out of date.
          edition = edition || event.lastEventId;
          if (event.lastEventId !== edition) { location.reload(); return; }
          const state = JSON.parse(event.data);
          show(byId('lost'), false);
          put(byId('note'), state.note || '');
          show(byId('note'), state.note !== null);
          draw(state);
          listen();
        };
        stream.onerror = () => {
          show(byId('lost'), true);
          // The browser reconnects by itself, unless it was refused.
          if (stream.readyState === EventSource.CLOSED) wait(again);
        };
      };
      const wait = (time) => {
        clearTimeout(watch);
        watch = setTimeout(() => { show(byId('lost'), true); open(); }, time);
      };
      const listen = () => wait(patience);
      open();
      // A hidden page closes its stream, and opens a new one when it is shown again.
      addEventListener('pagehide', () => { clearTimeout(watch); stream.close(); });
      addEventListener('pageshow', (event) => { if (event.persisted) open(); });
    })();
    """
}
