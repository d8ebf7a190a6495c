'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const view = byId('view');
  const time = byId('time');
  // The minute of the history that is shown, since 1970 UTC; null for the present.
  let at = view.hasAttribute('data-past') ? Number(view.dataset.minute) : null;
  let isBusy = false;
  let isWanted = false;
  const day = 1440;
  // Of a long list only the rows in sight are fetched each time, and all of them twice a minute.
  const [short, turns] = [30, 15];
  let turn = 0;

  const two = (number) => String(number).padStart(2, '0');
  const clock = (minute) => two(Math.floor(minute / 60)) + ':' + two(minute % 60);
  // The address of what is shown: the page, its choice, and the minute.
  const address = () => {
    const query = new URLSearchParams(location.search);
    if (at === null) query.delete('at'); else query.set('at', at);
    if (view.querySelector('svg.plot') && innerWidth < 640) query.set('narrow', ''); else query.delete('narrow');
    const text = query.toString();
    return location.pathname + (text ? '?' + text : '');
  };
  const rows = () => [...view.querySelectorAll('.nearby > li')];
  const inSight = (row) => {
    const box = row.getBoundingClientRect();
    return !row.hidden && box.bottom > -innerHeight / 2 && box.top < 1.5 * innerHeight;
  };
  // The address with the rows in sight: the server leaves out the others that the page has.
  const wanted = () => {
    const items = rows();
    if (at !== null || items.length <= short || turn++ % turns === 0) return address();
    const number = (row) => Number(row.id.slice(1));
    const last = items.reduce((most, row) => Math.max(most, number(row)), 0);
    const seen = items.filter(inSight).slice(0, 99).map(number).join('.');
    const start = address();
    return start + (start.includes('?') ? '&' : '?') + `run=${view.dataset.run}&last=${last}&rows=${seen}`;
  };
  // The controls follow the page, not the other way, except while the history is looked at.
  const showTime = () => {
    if (!time) return;
    const minute = at === null ? Number(view.dataset.minute || NaN) : at;
    if (Number.isFinite(minute)) {
      const date = new Date(minute * 60000).toISOString().slice(0, 10);
      // A day that somebody is typing stays.
      if (at !== null || document.activeElement !== byId('day')) byId('day').value = date;
      byId('minute').value = minute % day;
      byId('minute').setAttribute('aria-valuetext', clock(minute % day) + ' UTC');
    } else {
      byId('day').value = byId('day').value || byId('day').max;
    }
    byId('shown').textContent = at === null ? 'live' : clock(at % day) + ' UTC, from the history';
    byId('live').disabled = at === null;
  };
  // What is the same stays, so that a marked text stays marked, and a button keeps the focus.
  const update = (mine, next) => {
    if (mine.isEqualNode(next) || next.dataset?.kept !== undefined) return;
    if (mine.nodeType !== Node.ELEMENT_NODE) {
      mine.nodeValue = next.nodeValue;
      return;
    }
    for (const { name } of [...mine.attributes]) if (!next.hasAttribute(name)) mine.removeAttribute(name);
    for (const { name, value } of next.attributes) {
      if (mine.getAttribute(name) !== value) mine.setAttribute(name, value);
    }
    const named = new Map([...mine.children].filter((child) => child.id).map((child) => [child.id, child]));
    const wanted = new Set([...next.children].map((child) => child.id));
    let place = mine.firstChild;
    for (const child of [...next.childNodes]) {
      while (place && place.id && !wanted.has(place.id)) {
        const gone = place;
        place = place.nextSibling;
        gone.remove();
      }
      const isSame = place && !place.id && place.nodeName === child.nodeName;
      const same = child.id ? named.get(child.id) : isSame ? place : null;
      if (!same && child.dataset?.kept !== undefined) {
        turn = 0;
      } else if (!same) {
        mine.insertBefore(child, place);
      } else {
        if (same === place) place = place.nextSibling; else mine.insertBefore(same, place);
        update(same, child);
      }
    }
    while (place) {
      const gone = place;
      place = place.nextSibling;
      gone.remove();
    }
  };
  const find = () => {
    if (!byId('finding')) return;
    const items = rows();
    const words = byId('find').value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const row of items) {
      const text = (row.textContent + ' ' + (row.querySelector('[title]')?.title || '')).toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) count += 1;
    }
    const found = byId('find').value.trim() ? `${count} of ${items.length} shown` : '';
    if (byId('found').textContent !== found) byId('found').textContent = found;
    byId('finding').hidden = items.length < 2 && !byId('find').value;
  };
  const show = (text) => {
    const next = new DOMParser().parseFromString(text, 'text/html').getElementById('view');
    if (next) update(view, next);
    find();
  };
  const load = async () => {
    isWanted = isBusy;
    if (isBusy) return;
    isBusy = true;
    const minute = at;
    try {
      const answer = await fetch(wanted());
      const text = await answer.text();
      if (answer.ok && minute === at) show(text);
      byId('lost').hidden = answer.ok;
    } catch {
      byId('lost').hidden = false;
    }
    isBusy = false;
    showTime();
    if (isWanted) load();
  };

  if (time) {
    let soon;
    const choose = () => {
      const start = Date.parse(byId('day').value + 'T00:00:00Z');
      if (!Number.isFinite(start) || start < 0) return;
      at = start / 60000 + Number(byId('minute').value);
      // A browser refuses an address that changes too often.
      clearTimeout(soon);
      soon = setTimeout(() => history.replaceState(null, '', address()), 300);
      showTime();
      load();
    };
    byId('day').addEventListener('change', choose);
    byId('minute').addEventListener('input', choose);
    byId('live').addEventListener('click', () => {
      at = null;
      clearTimeout(soon);
      history.replaceState(null, '', address());
      byId('minute').focus();
      load();
    });
    time.hidden = false;
    showTime();
  }

  // Sends a form; calls `done` if it is accepted, and writes why it is not into the element of `answer`.
  const post = async (path, form, answer, done) => {
    try {
      const reply = await fetch(path, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(form),
      });
      byId(answer).textContent = reply.ok ? '\u00a0' : (await reply.text()).trim();
      if (!reply.ok) return;
      done();
      // The command does it a moment later.
      for (const wait of [100, 700]) setTimeout(load, wait);
    } catch { byId(answer).textContent = 'The page gets no answer.'; }
  };

  const naming = byId('naming');
  if (naming) {
    let beacon;
    view.addEventListener('click', (event) => {
      const button = event.target.closest('[data-beacon]');
      if (!button) return;
      beacon = button.dataset.beacon;
      byId('naming-beacon').textContent = beacon;
      byId('naming-name').value = button.dataset.name || '';
      byId('naming-remove').hidden = !button.dataset.name;
      byId('naming-answer').textContent = '\u00a0';
      naming.showModal();
      byId('naming-name').focus();
    });
    byId('naming-close').addEventListener('click', () => naming.close());
    const send = (change) => post(
      '/name', { token: naming.dataset.token, code: byId('naming-code').value.trim(), beacon, ...change },
      'naming-answer', () => naming.close());
    byId('naming-form').addEventListener('submit', (event) => {
      event.preventDefault();
      send({ name: byId('naming-name').value.trim() });
    });
    byId('naming-remove').addEventListener('click', () => send({ remove: true }));
  }
  const survey = byId('survey');
  if (survey) {
    const asking = byId('asking');
    let wish;
    const send = (change, done) => post(
      location.pathname, { token: view.dataset.token, code: byId('survey-code').value.trim(), ...change },
      'survey-answer', done || (() => {}));
    survey.addEventListener('submit', (event) => {
      event.preventDefault();
      const place = byId('survey-place');
      send({ do: 'stay', place: place.value }, () => { place.value = ''; });
    });
    view.addEventListener('click', (event) => {
      const button = event.target.closest('[data-do]');
      if (!button) return;
      wish = button.dataset.do;
      if (button.dataset.question) {
        byId('asking-text').textContent = button.dataset.question;
        asking.showModal();
      } else send({ do: wish });
    });
    byId('asking-no').addEventListener('click', () => asking.close());
    byId('asking-yes').addEventListener('click', () => {
      asking.close();
      send({ do: wish, confirmed: true });
    });
  }

  if (byId('finding')) {
    let soon;
    byId('find').addEventListener('input', () => { find(); load(); });
    addEventListener('scroll', () => {
      clearTimeout(soon);
      soon = setTimeout(() => { if (rows().length > short) load(); }, 150);
    }, { passive: true });
    find();
  }
  setInterval(() => { if (at === null && !isBusy && !document.hidden) load(); }, 2000);
})();
