'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  // Unchanged text is not written again, so a screen reader announces nothing twice.
  const put = (element, text) => {
    if (element && element.textContent !== text) element.textContent = text;
  };
  const show = (element, isShown) => { if (element) element.hidden = !isShown; };
  // The token of a form, which shows that a page of this run sends it.
  let token = null;

  // The exhibit whose media are shown, so that a sound is not cut off by the next state.
  const shown = {};
  const media = (place, button) => {
    const key = button ? button.dataset.open : '';
    if (!place || shown[place.id] === key) return;
    shown[place.id] = key;
    place.replaceChildren();
    if (button && button.dataset.image) {
      const image = document.createElement('img');
      image.src = button.dataset.image;
      image.alt = '';
      place.append(image);
    }
    if (button && button.dataset.audio) {
      const sound = document.createElement('audio');
      sound.src = button.dataset.audio;
      sound.controls = true;
      sound.preload = 'none';
      place.append(sound);
    }
  };
  const buttons = () => [...document.querySelectorAll('#list button')];
  let room = null;
  const list = () => {
    const here = buttons().some((button) => Number(button.dataset.room) === room);
    for (const button of buttons()) {
      button.parentElement.hidden = here && Number(button.dataset.room) !== room;
    }
  };
  const openExhibit = (button, isKept = false) => {
    show(byId('no-number'), !button);
    if (!button) return;
    put(byId('opened-title'), button.dataset.title);
    put(byId('opened-text'), button.dataset.text || '');
    media(byId('opened-media'), button);
    show(byId('opened'), true);
    show(byId('following'), false);
    byId('opened').scrollIntoView();
    // The device's way back leads to the guide, and another language shows the same exhibit.
    sessionStorage.setItem('opened', button.dataset.open);
    if (isKept) history.replaceState({ opened: true }, '');
    else if (!history.state?.opened) history.pushState({ opened: true }, '');
  };
  const follow = () => {
    sessionStorage.removeItem('opened');
    media(byId('opened-media'), null);
    show(byId('opened'), false);
    show(byId('following'), true);
  };
  const buttonOf = (index) => buttons().find((button) => Number(button.dataset.open) === index);
  const visitorKeys = () => {
    for (const button of buttons()) button.addEventListener('click', () => openExhibit(button));
    // On the plan an exhibit opens by a touch; the list has the same for the keyboard and for a screen reader.
    for (const spot of document.querySelectorAll('[data-exhibit]')) {
      spot.addEventListener('click', () => openExhibit(buttonOf(Number(spot.dataset.exhibit))));
    }
    byId('follow').addEventListener('click', () => {
      if (history.state?.opened) history.back(); else follow();
    });
    addEventListener('popstate', () => {
      if (!history.state?.opened) follow();
    });
    languages();
    // An exhibit stays open when the page is loaded again, or in another language; after a way back it is closed.
    const isKept = history.state?.opened || sessionStorage.getItem('kept') !== null;
    sessionStorage.removeItem('kept');
    const kept = isKept ? buttonOf(Number(sessionStorage.getItem('opened') ?? NaN)) : undefined;
    if (kept) openExhibit(kept, true);
    byId('numbers').addEventListener('submit', (event) => {
      event.preventDefault();
      const number = byId('number').value.trim();
      const found = buttons().filter((button) => button.dataset.number === number);
      openExhibit(found.find((button) => Number(button.dataset.room) === room) || found[0]);
      if (found.length) byId('number').value = '';
    });
    byId('code-form').addEventListener('submit', (event) => event.preventDefault());
    sizes();
  };

  // Another language takes the place of this page, so that the way back leads to the guide and not to another language.
  const links = () => [...document.querySelectorAll('header nav a')];
  const languages = () => {
    for (const link of links()) {
      // The secret of the printed address stays.
      link.hash = location.hash;
      link.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        sessionStorage.setItem('language', link.hreflang);
        if (!byId('opened').hidden) sessionStorage.setItem('kept', 'opened');
        location.replace(link.href);
      });
    }
    if (performance.getEntriesByType('navigation')[0]?.type === 'back_forward') sameLanguage();
  };
  // A page to which the way back leads is in the language that was chosen last.
  const sameLanguage = () => {
    const link = links().find((other) => other.hreflang === sessionStorage.getItem('language'));
    if (link && !link.hasAttribute('aria-current')) location.replace(link.href);
  };

  // The size of texts, which stays when the language changes, until the next visitor.
  const sizes = () => {
    let size = Number(sessionStorage.getItem('size')) || 0;
    const change = (step) => {
      size = Math.min(2, Math.max(0, size + step));
      sessionStorage.setItem('size', size);
      document.documentElement.dataset.size = size;
      byId('smaller').disabled = size === 0;
      byId('larger').disabled = size === 2;
    };
    byId('smaller').addEventListener('click', () => change(-1));
    byId('larger').addEventListener('click', () => change(1));
    change(0);
  };

  // Sends JSON, and shows what came of it.
  const send = async (path, content, answer) => {
    const say = answer.dataset;
    let [text, status] = [say.failed, 0];
    try {
      const got = await fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(content),
      });
      status = got.status;
      text = got.ok ? say.done : status === 422 ? say.wrong : status === 429 ? say.later : text;
    } catch { /* The connection is lost, which a notice shows, too. */ }
    put(answer, text);
    return status;
  };

  // The visitor's answers and settings. The secret of the printed address or the code gives the right to them.
  let secret = location.hash.slice(1);
  const choose = async (choice) => {
    const code = secret || byId('visitor-code').value.trim();
    const precise = byId('precise').checked;
    const status = await send(byId('choices').dataset.send, { token, code, choice, precise }, byId('said'));
    if (status === 422 && secret) askAgain();
    if (status === 200) secret = code;
  };
  // The secret is that of an earlier run of the guide, which a later one does not know.
  const askAgain = () => {
    secret = '';
    show(byId('code-form'), true);
    put(byId('said'), byId('said').dataset.restarted);
  };
  // The token of the run whose secret the page has.
  let run = null;
  let offered = '';
  const showChoices = (state) => {
    token = state.token;
    const isLater = run !== null && token !== null && run !== token && secret !== '';
    run = token ?? run;
    const isUrgent = ['asking', 'denied', 'reduced', 'closed'].includes(state.status);
    const place = byId(isUrgent ? 'ask' : 'settings-place');
    if (byId('choices').parentElement !== place) place.append(byId('choices'));
    show(byId('ask'), isUrgent && (state.question !== null || state.choices.length > 0));
    show(byId('settings'), !isUrgent && state.choices.length > 0);
    put(byId('question'), state.question || '');
    put(byId('reason'), state.reason || '');
    show(byId('question'), state.question !== null);
    show(byId('reason'), state.reason !== null);
    show(byId('precise-place'), state.switch);
    show(byId('code-form'), !secret);
    const now = JSON.stringify(state.choices);
    if (now === offered && !isLater) return;
    offered = now;
    byId('precise').checked = true;
    put(byId('said'), '');
    if (isLater) askAgain();
    // The focus stays on a choice that is still there.
    const focus = document.activeElement.dataset.choice;
    byId('buttons').replaceChildren(...state.choices.map(([name, label]) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.dataset.choice = name;
      button.textContent = label;
      button.addEventListener('click', () => choose(name));
      return button;
    }));
    byId('buttons').querySelector(`[data-choice="${focus}"]`)?.focus();
  };

  const mark = (name, selector, isMarked) => {
    for (const element of document.querySelectorAll(selector)) {
      element.classList.toggle(name, isMarked(element));
    }
  };
  // The place on the plan, in a disc that is as large as it is uncertain.
  const showPlace = (state) => {
    mark('now', 'path[data-room]', (room) => Number(room.dataset.room) === state.room);
    mark('shown', '[data-exhibit]', (spot) => Number(spot.dataset.exhibit) === state.index);
    for (const drawing of document.querySelectorAll('svg[data-level]')) {
      const guide = drawing.querySelector('.guide');
      const isHere = Number(drawing.dataset.level) === state.floor;
      guide.toggleAttribute('hidden', !isHere);
      if (!isHere) continue;
      guide.setAttribute('transform', `translate(${state.x} ${state.y})`);
      guide.querySelector('.guide-halo').style.r = `${state.r}px`;
    }
  };

  let visit = null;
  const showVisitor = (state) => {
    // The device went to another visitor: nothing of the last one stays on the page.
    if (visit !== null && visit !== state.visit) {
      sessionStorage.clear();
      location.search ? location.replace(location.pathname + location.hash) : location.reload();
      return;
    }
    visit = state.visit;
    showChoices(state);
    showPlace(state);
    for (const drawing of document.querySelectorAll('svg[data-level]')) {
      show(drawing.parentElement, state.floor === null || Number(drawing.dataset.level) === state.floor);
    }
    if (room !== state.room) {
      room = state.room;
      list();
    }
    media(byId('media'), buttonOf(state.index));
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
    const wanted = rows.length ? rows : [[body.dataset.none]];
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

  const sendNext = async (event) => {
    event.preventDefault();
    const content = { token, code: byId('code').value.trim() };
    if (await send(byId('next').dataset.send, content, byId('answer')) === 200) byId('code').value = '';
  };
  const showOperator = (state) => {
    token = state.token;
    show(byId('lent'), token !== null);
    put(byId('time'), state.time || '');
    facts(byId('facts'), state.facts);
    const near = new Map(state.near.map((row) => [Number(row[0]), row]));
    for (const row of document.querySelectorAll('[data-row]')) {
      const found = near.get(Number(row.dataset.row));
      put(row.querySelector('.how'), found ? found[1] : '');
      put(row.querySelector('.share'), found ? found[2] : '');
    }
    cells(byId('radios'), state.radios);
    cells(byId('counts'), state.counts);
    showPlace(state);
    mark('received', '[data-exhibit]', (spot) => state.received.includes(Number(spot.dataset.exhibit)));
    mark('shown', '[data-row]', (row) => Number(row.dataset.row) === state.index);
    mark('now', '[data-room-row]', (row) => Number(row.dataset.roomRow) === state.room);
  };
  // A state without a level or room matches no drawing and no row, since null is no number.
  const isVisitor = document.body.classList.contains('visitor');
  if (isVisitor) visitorKeys(); else byId('next').addEventListener('submit', sendNext);
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
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    if (isVisitor) {
      sameLanguage();
      if (!history.state?.opened) follow();
    }
    open();
  });
})();
