'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const svg = byId('plan');
  const space = svg.namespaceURI;
  const make = (name, attributes, text) => {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // Places are in meters, to a decimeter.
  const round = (value) => Math.round(value * 10) / 10;
  const say = (text) => { byId('message').textContent = text || '\u00a0'; };
  const tool = () => document.querySelector('#tools input:checked').value;

  let plan = null;
  let revision = null;
  let level = 0;
  let chosen = null;
  let saved = '';
  const before = [];

  const text = () => JSON.stringify(plan);
  const isChanged = () => plan !== null && text() !== saved;
  const remember = () => { before.push(text()); if (before.length > 100) before.shift(); };
  const floorOf = () => plan.floors.find((floor) => floor.level === level);
  const needFloor = () => {
    if (!floorOf()) plan.floors.push({ was: null, level, name: all(level === 0 ? 'Ground floor' : `Level ${level}`), entrance: null, doors: [] });
    return floorOf();
  };
  // A text in the first language, and one that is the same in all, for its author to translate.
  const one = (text) => text[plan.languages[0]] || Object.values(text)[0];
  const all = (text) => Object.fromEntries(plan.languages.map((language) => [language, text]));
  const roomOf = (exhibit) => plan.rooms.find((room) => room.major === exhibit.room);
  const levelOf = (exhibit) => { const room = roomOf(exhibit); return room ? room.level : 0; };
  const isChosen = (kind, index) => chosen !== null && chosen.kind === kind && chosen.index === index;
  const choose = (kind, index) => { chosen = kind === null ? null : { kind, index }; show(); };
  const inside = (point, outline) => {
    let isInside = false;
    outline.forEach(([x, y], i) => {
      const [u, v] = outline[(i + outline.length - 1) % outline.length];
      if ((y > point[1]) !== (v > point[1]) && point[0] < (u - x) * (point[1] - y) / (v - y) + x) isInside = !isInside;
    });
    return isInside;
  };
  const free = (numbers) => { let n = 1; while (numbers.includes(n)) n += 1; return n; };

  // Drawing.
  const fit = () => {
    const points = plan.rooms.filter((room) => room.level === level).flatMap((room) => room.outline);
    const xs = [0, 20, ...points.map((p) => p[0])];
    const ys = [0, 12, ...points.map((p) => p[1])];
    const width = Number(byId('image-width').value);
    const picture = byId('picture');
    if (picture.hasAttribute('href')) {
      xs.push(Number(byId('image-x').value) + width);
      ys.push(Number(byId('image-y').value) + width * Number(picture.dataset.ratio));
    }
    const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    svg.setAttribute('viewBox', `${left - 1} ${top - 1} ${right - left + 2} ${bottom - top + 2}`);
    let lines = '';
    for (let x = Math.ceil(left); x <= right && x - left < 500; x += 1) lines += `M${x} ${top}V${bottom}`;
    for (let y = Math.ceil(top); y <= bottom && y - top < 500; y += 1) lines += `M${left} ${y}H${right}`;
    byId('grid').replaceChildren(make('path', { class: 'lines', d: lines }));
  };
  const draw = () => {
    const parts = [];
    plan.rooms.forEach((room, index) => {
      if (room.level !== level || !room.outline.length) return;
      const isNow = isChosen('room', index);
      const points = room.outline.map((p) => p.join(',')).join(' ');
      parts.push(make('polygon', { class: isNow ? 'room chosen' : 'room', points, 'data-kind': 'room', 'data-index': index }));
      const [x, y] = room.outline.reduce((a, b) => (a[0] + a[1] <= b[0] + b[1] ? a : b));
      parts.push(make('text', { class: 'name', x: x + 0.3, y: y + 0.8 }, one(room.name)));
      if (isNow) room.outline.forEach(([u, v], corner) => {
        parts.push(make('circle', { class: 'corner', cx: u, cy: v, r: 0.28, 'data-kind': 'corner', 'data-index': corner }));
      });
    });
    const floor = floorOf();
    (floor ? floor.doors : []).forEach(([x, y], index) => {
      const name = isChosen('door', index) ? 'door chosen' : 'door';
      parts.push(make('rect', { class: name, x: x - 0.3, y: y - 0.3, width: 0.6, height: 0.6, 'data-kind': 'door', 'data-index': index }));
    });
    if (floor && floor.entrance) {
      const [x, y] = floor.entrance;
      const name = isChosen('entrance', 0) ? 'entrance chosen' : 'entrance';
      parts.push(make('path', { class: name, d: `M${x - 0.4} ${y - 0.4}L${x + 0.5} ${y}L${x - 0.4} ${y + 0.4}Z`, 'data-kind': 'entrance', 'data-index': 0 }));
    }
    plan.exhibits.forEach((exhibit, index) => {
      if (!exhibit.at || levelOf(exhibit) !== level) return;
      const [x, y] = exhibit.at;
      const name = isChosen('exhibit', index) ? 'spot chosen' : 'spot';
      parts.push(make('circle', { class: name, cx: x, cy: y, r: 0.45, 'data-kind': 'exhibit', 'data-index': index }));
      parts.push(make('text', { x, y, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, exhibit.number));
    });
    byId('drawn').replaceChildren(...parts);
  };

  // The fields of what is chosen.
  const field = (name, type, value, change, attributes, empty) => {
    const label = document.createElement('label');
    const input = document.createElement('input');
    input.type = type;
    input.value = value === null ? '' : value;
    input.id = `field-${name.toLowerCase().replace(/[^a-z]+/g, '-')}`;
    for (const [key, content] of Object.entries(attributes || {})) input.setAttribute(key, content);
    label.htmlFor = input.id;
    label.textContent = name;
    input.addEventListener('change', () => {
      const next = type === 'number' ? Number(input.value) : input.value.trim();
      if (input.value === '' && empty) { remember(); empty(); show(); return; }
      if (input.value === '' || Number.isNaN(next)) { show(); return; }
      remember();
      change(next);
      show();
    });
    return [label, input];
  };
  const list = (name, value, choices, change, read = Number) => {
    const [label, input] = field(name, 'text', value, change);
    const select = document.createElement('select');
    select.id = input.id;
    for (const [key, text] of choices) select.append(new Option(text, key, false, key === value));
    select.addEventListener('change', () => { remember(); change(read(select.value)); show(); });
    return [label, select];
  };
  // A text in each language, side by side; a text that may be missing is removed if it is empty in all.
  const names = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', it: 'Italiano' };
  const texts = (name, value, change, isLong) => {
    const group = document.createElement('fieldset');
    group.className = 'texts';
    const legend = document.createElement('legend');
    legend.textContent = name;
    group.append(legend, ...plan.languages.map((language) => {
      const label = document.createElement('label');
      label.textContent = plan.languages.length > 1 ? names[language] || language : '';
      const input = document.createElement(isLong ? 'textarea' : 'input');
      input.id = `field-${name.toLowerCase().replace(/[^a-z]+/g, '-')}-${language}`;
      input.lang = language;
      input.setAttribute('aria-label', `${name}, ${names[language] || language}`);
      input.value = (value || {})[language] || '';
      input.addEventListener('change', () => {
        const next = { ...value, [language]: input.value.trim() };
        if (!next[language]) delete next[language];
        if (!isLong && !next[language]) { show(); return; }
        remember();
        change(Object.keys(next).length ? next : null);
        show();
      });
      label.append(input);
      return label;
    }));
    return [group];
  };
  const whole = { min: 0, max: 65535, step: 1 };
  const meter = { step: 0.1 };
  const place = (point) => [
    ...field('Right, m', 'number', point[0], (x) => { point[0] = x; }, meter),
    ...field('Down, m', 'number', point[1], (y) => { point[1] = y; }, meter),
  ];
  const rooms = () => plan.rooms.filter((room) => room.major !== null).map((room) => [room.major, one(room.name)]);
  // The beacon in front of the curator, of those that the command receives now.
  const stand = async (exhibit) => {
    let found = { beacons: [] };
    say('Receiving …');
    for (let seconds = 0; seconds < 5 && !found.beacons.length; seconds += 1) {
      if (seconds) await new Promise((resolve) => setTimeout(resolve, 1000));
      const answer = await fetch(document.body.dataset.nearest).catch(() => null);
      if (!answer || !answer.ok) { say('The command receives no beacons: start it with --live.'); return; }
      found = await answer.json();
    }
    say('');
    if (!found.beacons.length) { say('No beacon is received. Stand in front of the exhibit and try again.'); return; }
    const place = byId('fields').querySelector('.found');
    if (!place) return;
    place.replaceChildren(...found.beacons.map((beacon, rank) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = `${rank ? '' : 'Nearest: '}${beacon.name ? beacon.name + ', ' : ''}${beacon.major}/${beacon.minor}, ${beacon.level} dBm`;
      button.addEventListener('click', () => take(exhibit, beacon));
      return button;
    }));
    place.querySelector('button').focus();
  };
  const take = (exhibit, beacon) => {
    const others = plan.exhibits.filter((other) => other !== exhibit);
    const twin = others.find((other) => other.room === beacon.major && other.minor === beacon.minor);
    if (twin) { say(`This is the beacon of “${one(twin.title)}”.`); return; }
    if (plan.uuid.toUpperCase() !== beacon.uuid && others.some((other) => other.was !== null)) {
      say('This beacon has another UUID than those of the museum.');
      return;
    }
    const room = roomOf(exhibit);
    const isKnown = plan.rooms.some((other) => other.major === beacon.major);
    if (!isKnown && (!room || others.some((other) => other.room === room.major))) {
      say(`No room has the major ${beacon.major}: give it to the room first.`);
      return;
    }
    remember();
    plan.uuid = beacon.uuid;
    if (!isKnown) room.major = beacon.major;
    if (exhibit.number === exhibit.minor) exhibit.number = beacon.minor;
    Object.assign(exhibit, { room: beacon.major, minor: beacon.minor });
    say('');
    show();
  };
  const action = (name, perform) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.id = name.toLowerCase().replace(/[^a-z]+/g, '-').replace(/-$/, '');
    button.textContent = name;
    button.addEventListener('click', perform);
    return button;
  };
  const addLanguage = (language) => {
    plan.languages.push(language);
    const add = (text) => { if (text) text[language] = one(text); };
    for (const text of [plan.museum, plan.whenInUse, ...plan.floors.map((floor) => floor.name), ...plan.rooms.map((room) => room.name),
      ...plan.exhibits.flatMap((exhibit) => [exhibit.title, exhibit.text])]) add(text);
  };
  const museum = () => {
    const free = Object.keys(names).filter((language) => !plan.languages.includes(language));
    const [label, select] = list('Add a language', '', [['', '–'], ...free.map((language) => [language, names[language]])], addLanguage, String);
    return [
      ...texts('Name of the museum', plan.museum, (text) => { plan.museum = text; }),
      ...texts('Why the guide asks', plan.whenInUse, (text) => { plan.whenInUse = text; }),
      ...field('UUID of the beacons', 'text', plan.uuid, (uuid) => { plan.uuid = uuid; }),
      ...(free.length ? [label, select] : []),
    ];
  };
  const fields = () => {
    const { kind, index } = chosen;
    if (kind === 'museum') return museum();
    if (kind === 'floor') return texts('Name', plan.floors[index].name, (name) => { plan.floors[index].name = name; });
    if (kind === 'room') {
      const room = plan.rooms[index];
      const corners = room.outline.flatMap((point, corner) => [
        ...field(`Corner ${String.fromCharCode(65 + corner % 26)}, right`, 'number', point[0], (x) => { point[0] = x; }, meter),
        ...field(`Corner ${String.fromCharCode(65 + corner % 26)}, down`, 'number', point[1], (y) => { point[1] = y; }, meter),
      ]);
      return [
        ...texts('Name', room.name, (name) => { room.name = name; }),
        ...field('Major', 'number', room.major, (major) => {
          for (const exhibit of plan.exhibits) if (exhibit.room === room.major && room.major !== null) exhibit.room = major;
          room.major = major;
        }, whole),
        ...corners,
      ];
    }
    if (kind === 'exhibit') {
      const exhibit = plan.exhibits[index];
      return [
        ...texts('Title', exhibit.title, (title) => { exhibit.title = title; }),
        ...texts('Text', exhibit.text, (text) => { exhibit.text = text; }, true),
        ...list('Room', exhibit.room, rooms(), (room) => { exhibit.room = room; }),
        ...field('Minor', 'number', exhibit.minor, (minor) => {
          if (exhibit.number === exhibit.minor) exhibit.number = minor;
          exhibit.minor = minor;
        }, whole),
        ...field('Number', 'number', exhibit.number, (number) => { exhibit.number = number; }, { ...whole, max: 99999 }),
        ...field('Image file', 'text', exhibit.image, (image) => { exhibit.image = image; }, {}, () => { exhibit.image = null; }),
        ...(exhibit.at ? place(exhibit.at) : []),
        document.createElement('span'), action('Which beacon is here?', () => stand(exhibit)),
        document.createElement('span'), Object.assign(document.createElement('div'), { className: 'found' }),
      ];
    }
    return place(kind === 'door' ? floorOf().doors[index] : floorOf().entrance);
  };
  const remove = () => {
    remember();
    const { kind, index } = chosen;
    if (kind === 'room') {
      const [room] = plan.rooms.splice(index, 1);
      if (room.major !== null) plan.exhibits = plan.exhibits.filter((exhibit) => exhibit.room !== room.major);
    }
    if (kind === 'exhibit') plan.exhibits.splice(index, 1);
    if (kind === 'door') floorOf().doors.splice(index, 1);
    choose(null);
  };
  const showFields = () => {
    const form = byId('fields');
    const active = document.activeElement && form.contains(document.activeElement) ? document.activeElement.id : null;
    if (chosen === null) {
      const hint = document.createElement('p');
      hint.className = 'soft';
      hint.textContent = 'Nothing is selected.';
      form.replaceChildren(hint);
      return;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.id = 'remove';
    button.textContent = chosen.kind === 'room' ? 'Remove the room and its exhibits' : 'Remove';
    button.addEventListener('click', remove);
    form.replaceChildren(...fields(), ...(['entrance', 'museum', 'floor'].includes(chosen.kind) ? [] : [document.createElement('span'), button]));
    if (active && byId(active)) byId(active).focus();
  };
  const showList = (list, kind, entries) => {
    list.replaceChildren(...entries.map(([name, index]) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.setAttribute('aria-pressed', isChosen(kind, index));
      button.addEventListener('click', () => {
        select(kind, index);
        if (kind === 'exhibit' && !plan.exhibits[index].at) say('It has no place yet: choose “Place a beacon”, and click where it hangs.');
      });
      item.append(button);
      return item;
    }));
  };
  const select = (kind, index) => {
    const room = kind === 'room' ? plan.rooms[index] : kind === 'exhibit' ? roomOf(plan.exhibits[index]) : null;
    if (room) level = room.level;
    if (kind === 'floor') level = plan.floors[index].level;
    choose(kind, index);
  };
  const showFloors = () => {
    const levels = [...new Set([0, level, ...plan.floors.map((floor) => floor.level), ...plan.rooms.map((room) => room.level)])].sort((a, b) => a - b);
    byId('floor').replaceChildren(...levels.map((number) => {
      const option = document.createElement('option');
      const floor = plan.floors.find((one) => one.level === number);
      option.value = number;
      option.textContent = floor ? one(floor.name) : `Level ${number}`;
      option.selected = number === level;
      return option;
    }));
  };
  const show = () => {
    fit();
    draw();
    showFields();
    showFloors();
    showList(byId('museum'), 'museum', [[one(plan.museum), 0]]);
    showList(byId('rooms'), 'room', plan.rooms.map((room, index) => [one(room.name), index]));
    showList(byId('exhibits'), 'exhibit', plan.exhibits.map((exhibit, index) => [
      `${exhibit.number} ${one(exhibit.title)}${exhibit.at ? '' : ' (no place)'}`, index]));
    byId('save').disabled = !isChanged();
    byId('undo').disabled = !before.length;
  };

  // The pointer.
  const at = (event) => {
    const matrix = svg.getScreenCTM();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [round(point.x), round(point.y)];
  };
  let drag = null;
  const addRoom = ([x, y], [u, v]) => {
    if (Math.abs(u - x) < 0.5 || Math.abs(v - y) < 0.5) { say('A room is drawn from corner to corner: drag across the plan.'); return; }
    remember();
    const [left, right, top, bottom] = [Math.min(x, u), Math.max(x, u), Math.min(y, v), Math.max(y, v)];
    const major = free(plan.rooms.map((room) => room.major));
    plan.rooms.push({ was: null, major, level, name: all(`Room ${major}`), outline: [[left, top], [right, top], [right, bottom], [left, bottom]] });
    needFloor();
    choose('room', plan.rooms.length - 1);
    say('');
  };
  const addBeacon = (point) => {
    const waiting = chosen !== null && chosen.kind === 'exhibit' ? plan.exhibits[chosen.index] : null;
    const room = plan.rooms.find((one) => one.level === level && one.major !== null && inside(point, one.outline));
    if (waiting && !waiting.at) {
      remember();
      waiting.at = point;
      if (room) waiting.room = room.major;
      show();
      say('');
      return;
    }
    if (!room) { say('A beacon hangs in a room that has a major: draw the room first.'); return; }
    remember();
    const minor = free(plan.exhibits.filter((one) => one.room === room.major).map((one) => one.minor));
    plan.exhibits.push({ was: null, room: room.major, minor, number: minor, title: all(`Exhibit ${room.major}/${minor}`), text: null, image: null, at: point });
    choose('exhibit', plan.exhibits.length - 1);
    say('');
  };
  svg.addEventListener('pointerdown', (event) => {
    if (plan === null || event.button > 0) return;
    const point = at(event);
    if (tool() === 'beacon') { addBeacon(point); return; }
    if (tool() === 'door') { remember(); needFloor().doors.push(point); choose('door', floorOf().doors.length - 1); return; }
    if (tool() === 'entrance') { remember(); needFloor().entrance = point; choose('entrance', 0); return; }
    if (tool() === 'room') drag = { kind: 'new', from: point };
    else {
      const hit = event.target.closest('[data-kind]');
      if (!hit) { choose(null); return; }
      const index = Number(hit.dataset.index);
      if (hit.dataset.kind === 'corner') drag = { kind: 'corner', index, from: point, was: text() };
      else {
        choose(hit.dataset.kind, index);
        drag = { kind: hit.dataset.kind, index, from: point, was: text() };
      }
    }
    svg.setPointerCapture(event.pointerId);
  });
  const move = (point) => {
    const [dx, dy] = [round(point[0] - drag.from[0]), round(point[1] - drag.from[1])];
    if (!dx && !dy) return;
    drag.from = point;
    const shift = (p) => { p[0] = round(p[0] + dx); p[1] = round(p[1] + dy); };
    if (drag.kind === 'corner') shift(plan.rooms[chosen.index].outline[drag.index]);
    if (drag.kind === 'exhibit') shift(plan.exhibits[drag.index].at);
    if (drag.kind === 'door') shift(floorOf().doors[drag.index]);
    if (drag.kind === 'entrance') shift(floorOf().entrance);
    if (drag.kind === 'room') {
      const room = plan.rooms[drag.index];
      room.outline.forEach(shift);
      // Its beacons hang on its walls, so they move with it.
      for (const exhibit of plan.exhibits) if (exhibit.at && exhibit.room === room.major && room.major !== null) shift(exhibit.at);
    }
    draw();
  };
  svg.addEventListener('pointermove', (event) => {
    if (plan === null) return;
    const point = at(event);
    byId('where').textContent = `${point[0]} m right, ${point[1]} m down`;
    if (!drag) return;
    if (drag.kind !== 'new') { move(point); return; }
    const [[x, y], [u, v]] = [drag.from, point];
    byId('drag').replaceChildren(make('rect', { class: 'new', x: Math.min(x, u), y: Math.min(y, v), width: Math.abs(u - x), height: Math.abs(v - y) }));
  });
  svg.addEventListener('pointerup', (event) => {
    if (!drag) return;
    const ended = drag;
    drag = null;
    byId('drag').replaceChildren();
    if (ended.kind === 'new') { addRoom(ended.from, at(event)); return; }
    if (text() !== ended.was) before.push(ended.was);
    show();
  });
  svg.addEventListener('pointercancel', () => { drag = null; byId('drag').replaceChildren(); });

  // The image, which stays in this browser.
  const mostBytes = 8 * 1024 * 1024;
  const types = ['image/png', 'image/jpeg', 'image/webp'];
  const layOut = () => {
    const picture = byId('picture');
    const width = Number(byId('image-width').value);
    picture.setAttribute('x', byId('image-x').value);
    picture.setAttribute('y', byId('image-y').value);
    picture.setAttribute('width', width);
    picture.setAttribute('height', width * Number(picture.dataset.ratio || 1));
    if (plan !== null) fit();
  };
  byId('file').addEventListener('change', () => {
    const [file] = byId('file').files;
    if (!file) return;
    if (!types.includes(file.type) || file.size > mostBytes) { say('Choose a PNG, JPEG or WebP image of at most 8 MB.'); return; }
    const reader = new FileReader();
    reader.onload = () => {
      const image = new Image();
      image.onload = () => {
        byId('picture').dataset.ratio = image.naturalHeight / image.naturalWidth;
        byId('picture').setAttribute('href', reader.result);
        layOut();
        say('');
      };
      image.onerror = () => say('This is no image that the browser can show.');
      image.src = reader.result;
    };
    reader.readAsDataURL(file);
  });
  for (const id of ['image-width', 'image-x', 'image-y']) byId(id).addEventListener('change', layOut);

  // Floors, undo, loading and saving.
  byId('floor').addEventListener('change', () => { level = Number(byId('floor').value); choose(null); });
  byId('add-floor').addEventListener('click', () => {
    remember();
    level = Math.max(...plan.floors.map((floor) => floor.level), ...plan.rooms.map((room) => room.level), 0) + 1;
    if (!plan.floors.length) { const top = level; level = 0; needFloor(); level = top; }
    needFloor();
    choose(null);
  });
  const undo = () => {
    if (!before.length) return;
    plan = JSON.parse(before.pop());
    choose(null);
  };
  byId('undo').addEventListener('click', undo);
  byId('name-floor').addEventListener('click', () => { remember(); needFloor(); select('floor', plan.floors.findIndex((floor) => floor.level === level)); });
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !['INPUT', 'TEXTAREA'].includes(event.target.tagName)) { event.preventDefault(); undo(); }
  });
  const load = async () => {
    const answer = await fetch(document.body.dataset.plan);
    if (!answer.ok) { say(await answer.text()); return false; }
    const state = await answer.json();
    revision = state.revision;
    plan = state;
    delete plan.revision;
    saved = text();
    before.length = 0;
    chosen = null;
    show();
    return true;
  };
  // The first fault's part is selected; each fault is a button that selects its own.
  const nameOf = ({ kind, index }) => kind === 'museum' ? one(plan.museum)
    : one(kind === 'exhibit' ? plan.exhibits[index].title : plan[`${kind}s`][index].name);
  const showFaults = (faults) => {
    select(faults[0].kind, faults[0].index);
    say('Not saved:');
    byId('message').append(...faults.slice(0, 9).map((fault) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = `${nameOf(fault)}: ${fault.message}`;
      button.addEventListener('click', () => select(fault.kind, fault.index));
      return button;
    }));
    byId('fields').querySelector('input')?.focus();
  };
  const save = async () => {
    byId('save').disabled = true;
    try {
      const answer = await fetch(document.body.dataset.plan, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ revision, ...plan }),
      });
      // A later run of the command has another address.
      if (answer.status === 404) throw new Error('ended');
      if (answer.status === 422) { showFaults(JSON.parse(await answer.text()).faults); return; }
      if (!answer.ok) { say(await answer.text()); show(); return; }
      if (await load()) say('Saved.');
    } catch { say('The command that serves this page has ended, and the changes are not saved. Start it again, and open the address that it prints.'); show(); }
  };
  byId('save').addEventListener('click', save);
  addEventListener('beforeunload', (event) => { if (isChanged()) event.preventDefault(); });
  document.querySelectorAll('form').forEach((form) => form.addEventListener('submit', (event) => event.preventDefault()));
  load().catch(() => say('The connection to the command is lost.'));
})();
