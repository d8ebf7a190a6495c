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

  const two = (number) => String(number).padStart(2, '0');
  const clock = (minute) => two(Math.floor(minute / 60)) + ':' + two(minute % 60);
  // The address of what is shown: the page, its choice, and the minute.
  const address = () => {
    const query = new URLSearchParams(location.search);
    if (at === null) query.delete('at'); else query.set('at', at);
    const text = query.toString();
    return location.pathname + (text ? '?' + text : '');
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
    if (mine.isEqualNode(next)) return;
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
      if (!same) {
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
  const show = (text) => {
    const next = new DOMParser().parseFromString(text, 'text/html').getElementById('view');
    if (next) update(view, next);
  };
  const load = async () => {
    isWanted = isBusy;
    if (isBusy) return;
    isBusy = true;
    const wanted = at;
    try {
      const answer = await fetch(address());
      const text = await answer.text();
      if (answer.ok && wanted === at) show(text);
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

  const naming = byId('naming');
  if (naming) {
    let beacon;
    const answer = (text) => { byId('naming-answer').textContent = text; };
    view.addEventListener('click', (event) => {
      const button = event.target.closest('[data-beacon]');
      if (!button) return;
      beacon = button.dataset.beacon;
      byId('naming-beacon').textContent = beacon;
      byId('naming-name').value = button.dataset.name || '';
      answer('\u00a0');
      naming.showModal();
      byId('naming-name').focus();
    });
    byId('naming-close').addEventListener('click', () => naming.close());
    byId('naming-form').addEventListener('submit', async (event) => {
      event.preventDefault();
      const sent = {
        token: naming.dataset.token, code: byId('naming-code').value.trim(),
        beacon, name: byId('naming-name').value.trim(),
      };
      try {
        const reply = await fetch('/name', {
          method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent),
        });
        if (!reply.ok) { answer((await reply.text()).trim()); return; }
        naming.close();
        // The command keeps the name a moment later.
        setTimeout(load, 500);
      } catch { answer('The page gets no answer.'); }
    });
  }
  setInterval(() => { if (at === null && !isBusy && !document.hidden) load(); }, 2000);
})();
