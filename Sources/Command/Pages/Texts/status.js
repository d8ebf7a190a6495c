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
  const show = (text) => {
    const next = new DOMParser().parseFromString(text, 'text/html').getElementById('view');
    if (!next) return;
    // What is the same stays, so that a marked text stays marked.
    if (view.isEqualNode(next)) return;
    for (const name of ['data-minute', 'data-past']) {
      if (next.hasAttribute(name)) view.setAttribute(name, next.getAttribute(name));
      else view.removeAttribute(name);
    }
    view.replaceChildren(...next.childNodes);
  };
  const load = async () => {
    isWanted = isBusy;
    if (isBusy) return;
    isBusy = true;
    const wanted = at;
    try {
      const answer = await fetch(wanted === null ? '/' : '/?at=' + wanted);
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
      soon = setTimeout(() => history.replaceState(null, '', '/?at=' + at), 300);
      showTime();
      load();
    };
    byId('day').addEventListener('change', choose);
    byId('minute').addEventListener('input', choose);
    byId('live').addEventListener('click', () => {
      at = null;
      clearTimeout(soon);
      history.replaceState(null, '', '/');
      byId('minute').focus();
      load();
    });
    time.hidden = false;
    showTime();
  }
  setInterval(() => { if (at === null && !isBusy && !document.hidden) load(); }, 2000);
})();
