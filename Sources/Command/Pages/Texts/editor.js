'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const svg = byId('plan');
  const space = svg.namespaceURI;
  const data = document.body.dataset;
  // The phrases of the page, the names of the languages, the texts of a plan from nothing in each language, and the names of columns.
  let words = JSON.parse(data.words);
  const [names, starts, columns] = [data.names, data.starts, data.columns].map((part) => JSON.parse(part));
  const make = (name, attributes, text) => {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // Places are in meters, to a decimeter.
  const round = (value) => Math.round(value * 10) / 10;
  // A phrase in the page's language, with values in its places.
  const phrase = (key, ...values) => words[key].replace(/\{(\d)\}/g, (_, place) => values[place]);
  const write = (text) => { byId('message').textContent = text || ''; };
  const say = (key, ...values) => write(key && phrase(key, ...values));
  // Of zeros there is only one.
  const decimal = (number) => (number + 0).toLocaleString(document.documentElement.lang, { useGrouping: false });
  const focus = (element) => { element.focus(); element.select?.(); };
  const firstField = () => byId('fields').querySelector('input, select, textarea, button');
  const tool = () => document.querySelector('#tools input:checked').value;

  let plan = null;
  // The file as it was loaded, which the plan's indices are those of, and as it was saved last.
  let base = null;
  let revision = null;
  let level = 0;
  let chosen = null;
  let saved = '';
  const before = [];
  const after = [];

  const text = () => JSON.stringify(plan);
  const isChanged = () => plan !== null && text() !== saved;
  let warned = [];
  const now = () => ({ text: text(), chosen, level, warned });
  // Keeps what was before a change, if anything has changed.
  const keep = (was) => {
    if (text() === was.text) return;
    before.push(was);
    if (before.length > 100) before.shift();
    after.length = 0;
    if (byId('message').textContent === words.saved) say('');
    if (isFaulty()) examine();
  };
  const change = (perform) => { const was = now(); perform(); keep(was); show(); };
  const floorOf = () => plan.floors.find((floor) => floor.level === level);
  // The texts of a plan from nothing, and the words of names that a new part gets, each with a number.
  // A language is known by its first part: de-CH has the texts of de.
  const start = (key, language) => (starts[language] || starts[language.split('-')[0]])?.[key];
  const numbered = (kind, number) => Object.fromEntries(plan.languages.map((language) => {
    const word = start(kind, language);
    return [language, word ? `${word} ${number}` : `${number}`];
  }));
  // Rooms and exhibits get a name of their own, so the proposed one is in the first language only: others count as not translated.
  const proposed = (kind, number) => { const [first] = plan.languages; return { [first]: numbered(kind, number)[first] }; };
  // A proposed text in another language; none for a text of the curator.
  const translated = (text, language) => {
    const known = (word) => Object.keys(starts.en).find((key) => Object.values(starts).some((texts) => texts[key] === word));
    const [, word, number] = known(text) ? [text, text, ''] : text.match(/^(\S+)( -?\d+)$/) || [];
    const next = word && known(word) && start(known(word), language);
    return next ? next + number : null;
  };
  const needFloor = () => {
    const ground = Object.fromEntries(plan.languages.map((language) => [language, start('ground', language) || '0']));
    const name = level === 0 ? ground : numbered('level', level);
    if (!floorOf()) plan.floors.push({ was: null, level, name, entrance: null, doors: [] });
    return floorOf();
  };
  // A text in the first language.
  const one = (text) => text[plan.languages[0]] || Object.values(text)[0];
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
  const free = (numbers, n = 1) => { while (numbers.includes(n)) n += 1; return n; };
  // A number stands at one exhibit, whatever its room: the minor is it as long as no other has that.
  const numbers = (exhibit) => plan.exhibits.filter((other) => other !== exhibit).map((other) => other.number);
  const setMinor = (exhibit, minor) => {
    if (exhibit.number === exhibit.minor) exhibit.number = free(numbers(exhibit), minor);
    exhibit.minor = minor;
  };

  // Drawing.
  const fit = () => {
    const points = plan.rooms.filter((room) => room.level === level).flatMap((room) => room.outline);
    const xs = [0, Number(byId('floor-width').value) || 20, ...points.map((p) => p[0])];
    const ys = [0, Number(byId('floor-depth').value) || 12, ...points.map((p) => p[1])];
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
      const number = make('text', { x, y, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, exhibit.number);
      // Numbers of many digits are smaller, so that they fit their circles.
      number.style.fontSize = `${Math.min(0.5, 1.2 / String(exhibit.number).length)}px`;
      parts.push(number);
    });
    byId('drawn').replaceChildren(...parts);
  };

  // The fields of what is chosen: each shows and changes a member of an object.
  // A field is named by the key of a phrase, or by that and a value.
  const idOf = (name) => `field-${[name].flat().join('-')}`;
  const textOf = (name) => phrase(...[name].flat());
  const labelled = (name, control, help) => {
    const label = document.createElement('label');
    control.id = label.htmlFor = idOf(name);
    label.textContent = textOf(name);
    if (!help) return [label, control];
    const small = Object.assign(document.createElement('small'), { id: `${control.id}-help`, className: 'soft', textContent: words[help] });
    control.setAttribute('aria-describedby', small.id);
    return [label, control, small];
  };
  // What is wrong with a written value stands below its field until the field has a right one.
  const refuse = (control, reason) => {
    const id = `${control.id}-wrong`;
    byId(id)?.remove();
    if (reason) control.after(Object.assign(document.createElement('span'), { id, className: 'wrong', role: 'alert', textContent: reason }));
    control.ariaInvalid = reason ? 'true' : null;
    const notes = [`${control.id}-help`, id].filter(byId);
    if (notes.length) control.setAttribute('aria-describedby', notes.join(' ')); else control.removeAttribute('aria-describedby');
  };
  const refresh = (control, read) => { control.refresh = () => { control.value = read(); }; control.refresh(); };
  // `empty` removes a value that may be missing; it and `set` return why they do not.
  const field = (name, type, object, key, attributes, empty, set = (value) => { object[key] = value; }, help) => {
    const input = document.createElement('input');
    input.type = type;
    refresh(input, () => object[key] ?? '');
    for (const [attribute, content] of Object.entries(attributes || {})) input.setAttribute(attribute, content);
    input.addEventListener('change', () => {
      const next = type === 'number' ? Number(input.value) : input.value.trim();
      let wrong;
      if (input.value.trim() === '' && empty && input.validity.valid) change(() => { wrong = empty(); });
      else if (type === 'number' && (input.value === '' || !inRange(next, attributes))) {
        wrong = phrase(attributes.step === 1 ? 'wantsWhole' : 'wantsNumber', textOf(name), decimal(attributes.min), decimal(attributes.max));
      } else if (input.value.trim() === '') wrong = phrase('needed', textOf(name));
      else change(() => { wrong = set(next); });
      refuse(input, wrong);
      if (wrong) show();
    });
    return labelled(name, input, help);
  };
  const check = (name, object, key) => {
    const input = document.createElement('input');
    input.type = 'checkbox';
    input.refresh = () => { input.checked = object[key]; };
    input.refresh();
    input.addEventListener('change', () => change(() => { object[key] = input.checked; }));
    return labelled(name, input);
  };
  const inRange = (value, { min, max, step }) => value >= min && value <= max && (step !== 1 || Number.isInteger(value));
  const list = (name, read, choices, set) => {
    const select = document.createElement('select');
    for (const [key, text] of choices) select.append(new Option(text, key));
    refresh(select, read);
    select.addEventListener('change', () => {
      let wrong;
      change(() => { wrong = set(select.value); });
      if (select.isConnected) refuse(select, wrong);
    });
    return labelled(name, select);
  };
  // A text in each language, side by side; a text that may be missing is removed if it is empty in all.
  const nameIn = (language) => names[language] || language;
  const texts = (name, object, key, isLong, mayBeEmpty = isLong) => {
    const group = document.createElement('fieldset');
    group.className = 'texts';
    const legend = document.createElement('legend');
    legend.textContent = words[name];
    group.append(legend, ...plan.languages.map((language) => {
      const label = document.createElement('label');
      label.textContent = plan.languages.length > 1 ? nameIn(language) : '';
      const input = document.createElement(isLong ? 'textarea' : 'input');
      input.id = `${idOf(name)}-${language}`;
      input.lang = language;
      input.setAttribute('aria-label', `${words[name]}, ${nameIn(language)}`);
      refresh(input, () => (object[key] || {})[language] || '');
      input.addEventListener('change', () => {
        const next = { ...object[key], [language]: input.value.trim() };
        const [first] = plan.languages;
        // A proposed text has proposed translations; they go with it.
        if (language === first && object[key]) {
          for (const other of plan.languages) if (other !== first && next[other] === translated(object[key][first] || '', other)) delete next[other];
        }
        if (!next[language]) delete next[language];
        const isNeeded = language === first && !next[first] && !mayBeEmpty;
        refuse(input, isNeeded ? phrase(plan.languages.length > 1 ? 'neededIn' : 'needed', words[name], nameIn(language)) : '');
        if (isNeeded) show(); else change(() => { object[key] = Object.keys(next).length ? next : null; });
      });
      label.append(input);
      return label;
    }));
    return [group];
  };
  const whole = { min: 0, max: 65535, step: 1 };
  const decibels = { min: -127, max: -1, step: 'any' };
  const meter = { min: -10000, max: 10000, step: 'any' };
  const place = (point) => [...field('right', 'number', point, 0, meter), ...field('down', 'number', point, 1, meter)];
  const rooms = () => plan.rooms.filter((room) => room.major !== null).map((room) => [room.major, one(room.name)]);
  // The beacon in front of the curator, of those that the command receives now.
  const stand = async (exhibit) => {
    let found = { beacons: [] };
    say('receiving');
    for (let seconds = 0; seconds < 5 && !found.beacons.length; seconds += 1) {
      if (seconds) await new Promise((resolve) => setTimeout(resolve, 1000));
      const answer = await fetch(data.nearest).catch(() => null);
      if (!answer) { ended(); return; }
      if (!answer.ok) {
        say('noReceiver', `beaconctl museum plan edit --live ${data.file}`);
        return;
      }
      found = await answer.json();
    }
    say('');
    if (!found.beacons.length) { say('noBeacon'); return; }
    const place = byId('fields').querySelector('.found');
    if (!place) return;
    place.replaceChildren(...found.beacons.map((beacon, rank) => {
      const button = document.createElement('button');
      button.type = 'button';
      const known = plan.exhibits.find((other) => other.room === beacon.major && other.minor === beacon.minor);
      const name = known && plan.uuid.toUpperCase() === beacon.uuid ? one(known.title) : beacon.name;
      const text = `${name ? name + ', ' : ''}${beacon.major}/${beacon.minor}, ${beacon.level} dBm`;
      button.textContent = rank ? text : phrase('nearest', text);
      button.addEventListener('click', () => take(exhibit, beacon));
      return button;
    }));
    place.querySelector('button').focus();
  };
  const take = (exhibit, beacon) => {
    const others = plan.exhibits.filter((other) => other !== exhibit);
    const twin = others.find((other) => other.room === beacon.major && other.minor === beacon.minor);
    if (twin) { say('twin', one(twin.title)); return; }
    if (plan.uuid.toUpperCase() !== beacon.uuid && others.some((other) => other.was !== null)) {
      say('otherUuid');
      return;
    }
    const room = roomOf(exhibit);
    const isKnown = plan.rooms.some((other) => other.major === beacon.major);
    if (!isKnown && (!room || others.some((other) => other.room === room.major))) {
      say('noMajor', beacon.major);
      return;
    }
    say('');
    change(() => {
      plan.uuid = beacon.uuid;
      if (!isKnown) room.major = beacon.major;
      setMinor(exhibit, beacon.minor);
      exhibit.room = beacon.major;
      byId('fields').querySelector('.found').replaceChildren();
    });
  };
  const action = (name, perform) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.id = name;
    button.textContent = words[name];
    button.addEventListener('click', perform);
    return [document.createElement('span'), button];
  };
  // The objects and members that are texts.
  const everyText = () => [[plan, 'museum'], [plan, 'whenInUse'], [plan, 'alwaysAndWhenInUse'], [plan, 'purpose'],
    ...[...plan.floors, ...plan.rooms].map((part) => [part, 'name']),
    ...plan.exhibits.flatMap((exhibit) => [[exhibit, 'title'], [exhibit, 'text']])].filter(([object, key]) => object[key]);
  const addLanguage = (language) => {
    plan.languages.push(language);
    // Only proposed texts are known in each language; what the curator wrote is not copied, so that it counts as not translated.
    for (const [object, key] of everyText()) {
      const next = translated(one(object[key]), language);
      if (next) object[key][language] = next;
    }
  };
  const removeLanguage = (language) => {
    const [first, next] = plan.languages;
    if (language === first && everyText().some(([object, key]) => !object[key][next])) return phrase('languageNeeded', nameIn(next));
    plan.languages = plan.languages.filter((other) => other !== language);
    for (const [object, key] of everyText()) {
      delete object[key][language];
      if (!Object.keys(object[key]).length) object[key] = null;
    }
    for (const { audio } of plan.exhibits.filter((exhibit) => exhibit.audio)) {
      const sound = audio[language];
      delete audio[language];
      if (!audio[plan.languages[0]]) audio[plan.languages[0]] = sound;
    }
    return '';
  };
  const languages = (name, choices, set) => choices.length
    ? list(name, () => '', [['', '–'], ...choices.map((language) => [language, nameIn(language)])], set) : [];
  const museum = () => [
    ...texts('museum', plan, 'museum'),
    ...texts('whenInUse', plan, 'whenInUse', true),
    ...texts('purpose', plan, 'purpose', true),
    ...texts('alwaysAndWhenInUse', plan, 'alwaysAndWhenInUse', true),
    ...check('appClip', plan, 'appClip'),
    ...field('uuid', 'text', plan, 'uuid'),
    ...field('allPower', 'number', plan, 'power', decibels, () => { plan.power = null; }),
    ...field('exponent', 'number', plan, 'exponent', { min: 1, max: 8, step: 'any' }, () => { plan.exponent = null; }),
    ...languages('addLanguage', Object.keys(names).filter((language) => !plan.languages.includes(language)), addLanguage),
    ...languages('removeLanguage', plan.languages.length > 1 ? plan.languages : [], removeLanguage),
  ];
  const corners = (room) => room.outline.flatMap((point, index) => {
    const letter = `${String.fromCharCode(65 + index % 26)}${index < 26 ? '' : Math.floor(index / 26)}`;
    const empty = room.outline.length > 3 ? () => { room.outline.splice(index, 1); } : undefined;
    return [...field(['cornerRight', letter], 'number', point, 0, meter, empty), ...field(['cornerDown', letter], 'number', point, 1, meter, empty)];
  });
  const addCorner = (room) => {
    const [[x, y], [u, v]] = [room.outline[0], room.outline[room.outline.length - 1]];
    room.outline.push([round((x + u) / 2), round((y + v) / 2)]);
  };
  const setMajor = (room, major) => {
    const own = room.major === null ? [] : plan.exhibits.filter((exhibit) => exhibit.room === room.major);
    if (major === null && own.length) return phrase('roomInUse', one(own[0].title));
    const other = plan.rooms.find((one) => one !== room && major !== null && one.major === major);
    if (other) return phrase('majorInUse', one(other.name), major);
    for (const exhibit of own) exhibit.room = major;
    room.major = major;
    return '';
  };
  // The order of a list, in which visitors see its parts.
  const moves = (parts, index) => [[-1, 'moveUp'], [1, 'moveDown']].flatMap(([step, name]) => parts[index + step]
    ? action(name, () => change(() => {
      parts.splice(index + step, 0, ...parts.splice(index, 1));
      chosen = { kind: chosen.kind, index: index + step };
    })) : []);
  const roomFields = (room) => [
    ...texts('name', room, 'name'),
    ...field('major', 'number', room, 'major', whole, () => setMajor(room, null), (major) => setMajor(room, major), 'majorHelp'),
    ...(plan.floors.length > 1 ? list('floor', () => room.level, plan.floors.map((floor) => [floor.level, one(floor.name)]),
      (number) => { level = room.level = Number(number); }) : []),
    ...check('desk', room, 'desk'),
    ...moves(plan.rooms, plan.rooms.indexOf(room)),
    ...corners(room),
    ...(room.outline.length ? [...action('addCorner', () => change(() => addCorner(room))),
      ...action('removeOutline', () => change(() => { room.outline = []; }))] : []),
  ];
  const exhibitFields = (exhibit) => [
    ...texts('title', exhibit, 'title'),
    ...texts('text', exhibit, 'text', true),
    ...list('room', () => exhibit.room, rooms(), (room) => { exhibit.room = Number(room); }),
    ...field('minor', 'number', exhibit, 'minor', whole, undefined, (minor) => setMinor(exhibit, minor), 'minorHelp'),
    ...field('number', 'number', exhibit, 'number', { ...whole, max: 99999 },
      () => { exhibit.number = free(numbers(exhibit), exhibit.minor); }, undefined, 'numberHelp'),
    ...field('viewing', 'number', exhibit, 'viewing', { min: 0.1, max: 86400, step: 'any' }, () => { exhibit.viewing = null; }),
    ...field('power', 'number', exhibit, 'power', decibels, () => { exhibit.power = null; }),
    ...field('image', 'text', exhibit, 'image', {}, () => { exhibit.image = null; }),
    ...texts('audio', exhibit, 'audio', false, true),
    ...moves(plan.exhibits, plan.exhibits.indexOf(exhibit)),
    ...(exhibit.at ? [...place(exhibit.at), ...action('removePlace', () => change(() => { exhibit.at = null; }))] : []),
    ...action('whichBeacon', () => stand(exhibit)),
    document.createElement('span'), Object.assign(document.createElement('div'), { className: 'found' }),
  ];
  const fields = () => {
    const { kind, index } = chosen;
    if (kind === 'museum') return museum();
    if (kind === 'floor') return texts('name', plan.floors[index], 'name');
    if (kind === 'room') return roomFields(plan.rooms[index]);
    if (kind === 'exhibit') return exhibitFields(plan.exhibits[index]);
    return place(kind === 'door' ? floorOf().doors[index] : floorOf().entrance);
  };
  const remove = () => {
    const { kind, index } = chosen;
    if (kind === 'floor' && plan.rooms.some((room) => room.level === level)) {
      say('floorInUse');
      return;
    }
    change(() => {
      if (kind === 'room') {
        const [room] = plan.rooms.splice(index, 1);
        if (room.major !== null) plan.exhibits = plan.exhibits.filter((exhibit) => exhibit.room !== room.major);
      }
      if (kind === 'exhibit') plan.exhibits.splice(index, 1);
      if (kind === 'door') floorOf().doors.splice(index, 1);
      if (kind === 'entrance') floorOf().entrance = null;
      if (kind === 'floor') { plan.floors.splice(index, 1); level = plan.floors.length ? plan.floors[0].level : 0; }
      chosen = null;
    });
  };
  // The fields stay as long as they are those of the same part, so that a click that follows a change meets its button.
  let shownFields = null;
  const formOf = () => {
    const { kind, index } = chosen || {};
    const part = !chosen ? plan.rooms.length : kind === 'exhibit' ? [Boolean(plan.exhibits[index].at), rooms()]
      : kind === 'room' ? [plan.rooms[index].outline.length, plan.floors] : null;
    return JSON.stringify([chosen, part, plan.languages]);
  };
  const showFields = () => {
    const form = byId('fields');
    if (shownFields === formOf()) { for (const control of form.elements) control.refresh?.(); return; }
    shownFields = formOf();
    if (chosen === null) {
      const hint = document.createElement('p');
      hint.className = 'soft';
      hint.textContent = plan.rooms.length ? words.nothingSelected : phrase('begin', words.drawRoom);
      form.replaceChildren(hint);
      return;
    }
    const name = chosen.kind === 'room' ? 'removeRoom' : 'remove';
    form.replaceChildren(...fields(), ...(chosen.kind === 'museum' ? [] : action(name, remove)));
  };
  const showList = (list, kind, entries) => {
    list.lang = plan.languages[0];
    while (list.children.length > entries.length) list.lastChild.remove();
    while (list.children.length < entries.length) {
      const index = list.children.length;
      const button = document.createElement('button');
      button.type = 'button';
      button.id = `${kind}-${index}`;
      button.addEventListener('click', () => {
        select(kind, index);
        if (kind === 'exhibit' && !plan.exhibits[index].at) say('noPlace', words.placeBeacon);
        if (kind === 'room' && !plan.rooms[index].outline.length) say('noOutline', words.drawRoom);
      });
      const item = document.createElement('li');
      item.append(button);
      list.append(item);
    }
    entries.forEach((name, index) => {
      const button = list.children[index].firstChild;
      button.textContent = name;
      button.setAttribute('aria-pressed', isChosen(kind, index));
    });
  };
  const select = (kind, index) => {
    const room = kind === 'room' ? plan.rooms[index] : kind === 'exhibit' ? roomOf(plan.exhibits[index]) : null;
    if (room) level = room.level;
    if (kind === 'floor') level = plan.floors[index].level;
    choose(kind, index);
    toForm();
  };
  // On a narrow screen the form is below or above what was chosen.
  const toForm = () => {
    if (chosen !== null && matchMedia('(max-width:60rem)').matches) byId('chosen').scrollIntoView();
  };
  const showFloors = () => {
    const levels = [...new Set([0, level, ...plan.floors.map((floor) => floor.level), ...plan.rooms.map((room) => room.level)])].sort((a, b) => a - b);
    byId('floor').replaceChildren(...levels.map((number) => {
      const option = document.createElement('option');
      const floor = plan.floors.find((one) => one.level === number);
      option.value = number;
      option.textContent = floor ? one(floor.name) : one(numbered('level', number));
      option.selected = number === level;
      return option;
    }));
  };
  const show = () => {
    const active = document.activeElement;
    fit();
    draw();
    showFields();
    showFloors();
    showList(byId('museum'), 'museum', [one(plan.museum)]);
    showList(byId('rooms'), 'room', plan.rooms.map((room) => one(room.name)));
    showList(byId('exhibits'), 'exhibit', plan.exhibits.map((exhibit) => {
      const name = `${exhibit.number} ${one(exhibit.title)}`;
      return exhibit.at ? name : phrase('unplaced', name);
    }));
    byId('save').setAttribute('aria-disabled', !isChanged());
    byId('undo').setAttribute('aria-disabled', !before.length);
    byId('redo').setAttribute('aria-disabled', !after.length);
    // The focus stays where it was, or goes to what replaces that.
    if (active && !active.isConnected) focus(byId(active.id) || firstField() || byId('undo'));
  };

  // The pointer.
  const at = (event) => {
    const matrix = svg.getScreenCTM();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [round(point.x), round(point.y)];
  };
  // A corner of a new room snaps to the corners of others, so that they share a wall, or to half meters.
  const snapped = (point, event) => event.shiftKey ? point : point.map((value, axis) => {
    const lines = plan.rooms.filter((room) => room.level === level).flatMap((room) => room.outline.map((corner) => corner[axis]));
    const line = lines.reduce((a, b) => (Math.abs(b - value) < Math.abs(a - value) ? b : a), Infinity);
    return Math.abs(line - value) <= 0.4 ? line : Math.round(value * 2) / 2;
  });
  // A door snaps to the nearest wall.
  const toWall = (point, event) => {
    if (event.shiftKey) return point;
    const walls = plan.rooms.filter((room) => room.level === level).flatMap(({ outline }) => outline.map((end, index) => [outline.at(index - 1), end]));
    const far = ([x, y]) => Math.hypot(x - point[0], y - point[1]);
    const nearest = walls.map(([[x, y], [u, v]]) => {
      const length = (u - x) ** 2 + (v - y) ** 2;
      const share = length && Math.min(1, Math.max(0, ((point[0] - x) * (u - x) + (point[1] - y) * (v - y)) / length));
      return [round(x + share * (u - x)), round(y + share * (v - y))];
    }).reduce((a, b) => (far(b) < far(a) ? b : a), [Infinity, Infinity]);
    return far(nearest) <= 0.5 ? nearest : point;
  };
  let drag = null;
  const addRoom = ([x, y], [u, v], isNew) => {
    if (Math.abs(u - x) < 0.5 || Math.abs(v - y) < 0.5) { say('dragRoom'); return false; }
    const [left, right, top, bottom] = [Math.min(x, u), Math.max(x, u), Math.min(y, v), Math.max(y, v)];
    const outline = [[left, top], [right, top], [right, bottom], [left, bottom]];
    const own = chosen !== null && chosen.kind === 'room' ? plan.rooms[chosen.index] : null;
    // Rooms that have a name and no outline are drawn first.
    const waiting = isNew ? null : [own, ...plan.rooms].find((room) => room && !room.outline.length);
    if (waiting) say('nowDrawn', one(waiting.name), words.addRoom); else say('');
    change(() => {
      needFloor();
      if (waiting) { Object.assign(waiting, { outline, level }); chosen = { kind: 'room', index: plan.rooms.indexOf(waiting) }; return; }
      const major = free(plan.rooms.map((room) => room.major));
      plan.rooms.push({ was: null, major, level, name: proposed('room', major), outline, desk: false });
      chosen = { kind: 'room', index: plan.rooms.length - 1 };
    });
    return true;
  };
  const freeMinor = (room) => {
    const used = plan.exhibits.flatMap((other) => [other.number, other.minor]);
    const last = Math.max(0, ...plan.exhibits.filter((other) => other.room === room.major).map((other) => other.minor));
    return last < 65000 ? free(used, last + 1) : free(used);
  };
  const newExhibit = (room, minor, number, at) => ({
    was: null, room: room.major, minor, number, title: proposed('exhibit', number), text: null, image: null, at, power: null, viewing: null, audio: null,
  });
  const addExhibit = (room, at) => change(() => {
    const minor = freeMinor(room);
    plan.exhibits.push(newExhibit(room, minor, minor, at));
    chosen = { kind: 'exhibit', index: plan.exhibits.length - 1 };
  });
  // Returns whether a beacon is new, and is named next.
  const addBeacon = (point) => {
    const around = plan.rooms.filter((one) => one.level === level && inside(point, one.outline));
    const room = around.find((one) => one.major !== null);
    const own = chosen !== null && chosen.kind === 'exhibit' ? plan.exhibits[chosen.index] : null;
    // The chosen exhibit is placed, or one that is in this room: those of a table have no place yet.
    const unplaced = () => plan.exhibits.find((exhibit) => !exhibit.at && room && exhibit.room === room.major);
    const waiting = own && !own.at ? own : unplaced();
    if (!room && around.length) { say('roomNeedsMajor', one(around[0].name), words.major); return false; }
    if (!room && !waiting) { say('beaconNeedsRoom'); return false; }
    say('');
    if (!waiting) { addExhibit(room, point); return true; }
    change(() => {
      waiting.at = point;
      if (room) waiting.room = room.major;
      chosen = { kind: 'exhibit', index: plan.exhibits.indexOf(waiting) };
    });
    if (!room) return false;
    const next = unplaced();
    const texts = [phrase('nowPlaced', one(waiting.title), one(room.name)), next && phrase('nextPlaced', one(next.title), words.addExhibit)];
    write(texts.filter(Boolean).join(' '));
    return false;
  };
  const addDoor = (point, event) => {
    change(() => { chosen = { kind: 'door', index: needFloor().doors.push(toWall(point, event)) - 1 }; });
    return true;
  };
  const setEntrance = (point) => {
    change(() => {
      needFloor().entrance = point;
      chosen = { kind: 'entrance', index: 0 };
      shownFields = null;
    });
    return true;
  };
  const placing = { beacon: addBeacon, door: addDoor, entrance: setEntrance };
  svg.addEventListener('pointerdown', (event) => {
    if (plan === null || event.button > 0) return;
    const point = at(event);
    // A text that is being typed is part of the plan before anything else is chosen.
    document.activeElement.blur();
    const hit = event.target.closest('[data-kind]');
    // A beacon that is there is chosen; a second one is not hung upon it.
    const isBeacon = tool() === 'beacon' && hit?.dataset.kind === 'exhibit';
    if (tool() in placing && !isBeacon) drag = { kind: 'place' };
    else if (tool() === 'room') drag = { kind: 'new', from: snapped(point, event) };
    else {
      if (!hit) { choose(null); return; }
      const index = Number(hit.dataset.index);
      if (hit.dataset.kind === 'corner') drag = { kind: 'corner', index, from: point, was: now() };
      else {
        choose(hit.dataset.kind, index);
        drag = { kind: hit.dataset.kind, index, from: point, was: now() };
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
    byId('where').textContent = phrase('pointer', ...point.map(decimal));
    if (!drag || drag.kind === 'place') return;
    if (drag.kind !== 'new') { move(point); return; }
    const [[x, y], [u, v]] = [drag.from, snapped(point, event)];
    byId('drag').replaceChildren(make('rect', { class: 'new', x: Math.min(x, u), y: Math.min(y, v), width: Math.abs(u - x), height: Math.abs(v - y) }));
  });
  svg.addEventListener('pointerup', (event) => {
    if (!drag) return;
    const ended = drag;
    drag = null;
    byId('drag').replaceChildren();
    let isNew = false;
    if (ended.kind === 'new') isNew = addRoom(ended.from, snapped(at(event), event));
    else if (ended.kind === 'place') isNew = placing[tool()](at(event), event);
    else {
      const isMoved = text() !== ended.was.text;
      if (isMoved && ended.kind === 'door') Object.assign(floorOf().doors[ended.index], toWall(floorOf().doors[ended.index], event));
      keep(ended.was);
      show();
      if (!isMoved && ended.kind !== 'corner') toForm();
      return;
    }
    // A new part is named next; a finger would only bring up the keyboard of the screen.
    if (isNew && event.pointerType !== 'touch') focus(firstField()); else if (isNew) toForm();
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
    if (!types.includes(file.type) || file.size > mostBytes) { say('wrongImage'); return; }
    const reader = new FileReader();
    reader.onload = () => {
      const image = new Image();
      image.onload = () => {
        byId('picture').dataset.ratio = image.naturalHeight / image.naturalWidth;
        byId('picture').setAttribute('href', reader.result);
        layOut();
        say('');
      };
      image.onerror = () => say('badImage');
      image.src = reader.result;
    };
    reader.readAsDataURL(file);
  });
  byId('no-image').addEventListener('click', () => {
    byId('picture').removeAttribute('href');
    byId('file').value = '';
    if (plan !== null) fit();
  });
  for (const id of ['image-width', 'image-x', 'image-y', 'floor-width', 'floor-depth']) byId(id).addEventListener('change', layOut);
  byId('tools').addEventListener('change', () => { if (tool() === 'room') say('drawFreely'); });

  // Floors, undo, loading and saving.
  byId('floor').addEventListener('change', () => { level = Number(byId('floor').value); choose(null); });
  byId('add-floor').addEventListener('click', () => change(() => {
    const top = Math.max(...plan.floors.map((floor) => floor.level), ...plan.rooms.map((room) => room.level), 0) + 1;
    level = 0;
    if (!plan.floors.length) needFloor();
    level = top;
    needFloor();
    chosen = null;
  }));
  byId('add-room').addEventListener('click', () => {
    const right = Math.max(0, ...plan.rooms.filter((room) => room.level === level).flatMap((room) => room.outline.map((corner) => corner[0])));
    choose(null);
    addRoom([right, 0], [right + 8, 6], true);
    focus(firstField());
  });
  byId('add-exhibit').addEventListener('click', () => {
    const room = plan.rooms[chosen?.kind === 'room' ? chosen.index : -1] || (chosen?.kind === 'exhibit' && roomOf(plan.exhibits[chosen.index]))
      || plan.rooms.find((one) => one.major !== null);
    if (!room || room.major === null) { say('exhibitNeedsRoom'); return; }
    say('');
    addExhibit(room, null);
    focus(firstField());
  });
  const step = (from, to, nothing) => {
    if (!from.length) { say(nothing); return; }
    const isSaved = !isChanged();
    const was = from.pop();
    to.push(now());
    [plan, chosen, level, shownFields] = [JSON.parse(was.text), was.chosen, was.level, null];
    if (isFaulty()) examine();
    else say(isSaved && from === before ? 'undoneSaved' : '');
    show();
    warn(was.warned);
  };
  const undo = () => step(before, after, 'nothingToUndo');
  const redo = () => step(after, before, 'nothingToRedo');
  byId('undo').addEventListener('click', undo);
  byId('redo').addEventListener('click', redo);
  byId('name-floor').addEventListener('click', () => {
    change(needFloor);
    select('floor', plan.floors.findIndex((floor) => floor.level === level));
    focus(firstField());
  });
  addEventListener('keydown', (event) => {
    const control = event.target;
    const isText = ['INPUT', 'TEXTAREA', 'SELECT'].includes(control.tagName) && control.type !== 'radio';
    const last = control.value;
    // A text that is being typed has its own undo.
    const isTyped = () => { control.refresh(); const is = control.value !== last; control.value = last; return is; };
    const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : '';
    const perform = key === 'y' || (key === 'z' && event.shiftKey) ? redo : key === 'z' ? undo : null;
    if (perform && plan !== null && !(isText && (!control.refresh || isTyped()))) { event.preventDefault(); perform(); }
    if (event.key === 'Delete' && !isText && plan !== null && chosen !== null && chosen.kind !== 'museum') { event.preventDefault(); remove(); }
  });
  // The command's own reasons are in the page's language; those of the server below it are not.
  const refused = async (answer) => {
    const reason = await answer.text();
    if (answer.status === 409) write(reason); else say('failed', reason);
  };
  const load = async () => {
    const answer = await fetch(data.plan);
    if (!answer.ok) { refused(answer); return; }
    let warnings;
    ({ revision, warnings, ...plan } = await answer.json());
    base = revision;
    saved = text();
    show();
    warn(warnings);
  };
  // What will not work well in the saved plan; each is a button that selects its part.
  const warn = (warnings) => {
    warned = warnings;
    const place = byId('warnings');
    place.hidden = !warnings.length;
    const head = document.createElement('p');
    head.textContent = words.weaknesses;
    place.replaceChildren(head, ...warnings.map((warning) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = warning.message;
      button.addEventListener('click', () => {
        const floor = plan.floors.find((other) => other.level === warning.level) || { doors: [] };
        const parts = {
          room: plan.rooms, exhibit: plan.exhibits, floor: plan.floors, museum: [plan], door: floor.doors, entrance: floor.entrance ? [floor] : [],
        }[warning.kind];
        if (warning.index >= parts.length) { say('gone'); return; }
        if (warning.level !== null) level = warning.level;
        selectField(warning);
      });
      return button;
    }));
  };
  const selectField = ({ kind, index, field: name }) => {
    select(kind, index);
    const control = name && (byId(idOf(name)) || byId('fields').querySelector(`[id^="${idOf(name)}"]`));
    if (control) focus(control);
  };
  // The first fault's field is selected; each fault is a button that selects its own.
  const nameOf = ({ kind, index }) => kind === 'museum' ? one(plan.museum)
    : one(kind === 'exhibit' ? plan.exhibits[index].title : plan[`${kind}s`][index].name);
  const showFaults = (faults) => {
    say('notSaved');
    byId('message').append(...faults.slice(0, 9).map((fault) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'fault';
      button.textContent = phrase('faultOf', nameOf(fault), fault.message);
      button.addEventListener('click', () => selectField(fault));
      return button;
    }));
  };
  const isFaulty = () => byId('message').querySelector('.fault') !== null;
  // While faults are listed, each change is examined without being saved: those that it corrects leave the list.
  const examine = async () => {
    const sent = text();
    const answer = await post({ copy: true }).catch(() => null);
    if (!answer || sent !== text() || !isFaulty()) return;
    if (answer.status === 422) showFaults((await answer.json()).faults);
    else if (answer.ok) { say(''); warn((await answer.json()).warnings); }
  };
  let isSaving = false;
  // Another program changed the file: ask before one of the two changes is lost.
  const offer = (reason) => {
    write(reason);
    byId('message').append(...[
      ['download', () => save({ copy: true })],
      ['overwrite', () => { if (confirm(words.askOverwrite)) save({ overwrite: true }); }],
      ['reload', () => { if (confirm(words.askReload)) { before.length = after.length = 0; chosen = null; shownFields = null; say(''); load(); } }],
    ].map(([name, perform]) => {
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent: words[name] });
      button.addEventListener('click', perform);
      return button;
    }));
  };
  // The plan as a file of its own, without the comments of the one that it was loaded from.
  const fileText = () => {
    const given = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== false));
    const { museum, uuid, languages, floors, rooms, exhibits, power, exponent, whenInUse, alwaysAndWhenInUse, purpose, appClip } = plan;
    const sound = (audio) => audio && (Object.keys(audio).length > 1 ? audio : one(audio));
    return JSON.stringify({
      museum, uuid, languages,
      manifest: given({ whenInUse, alwaysAndWhenInUse, purposes: purpose && { ExhibitGuide: purpose }, appClip }),
      calibration: given({ power, exponent }),
      floors: floors.map(({ was, ...floor }) => given(floor)),
      rooms: rooms.map(({ was, level: floor, outline, ...room }) => given({
        ...room, floor: floors.some((known) => known.level === floor) ? floor : null, outline: outline.length ? outline : null,
      })),
      exhibits: exhibits.map(({ was, audio, ...exhibit }) => given({ ...exhibit, audio: sound(audio) })),
    }, null, 2);
  };
  // The command has ended: what is not saved can be kept as a file.
  const ended = () => {
    say(isChanged() ? 'endedUnsaved' : 'endedSaved');
    if (!isChanged()) return;
    byId('message').append(Object.assign(document.createElement('button'), {
      type: 'button', textContent: words.download, onclick: () => download(fileText()),
    }));
  };
  let hasEnded = false;
  setInterval(async () => {
    const answer = await fetch(data.alive, { cache: 'no-store' }).catch(() => null);
    // A later run of the command has another address.
    const isOver = !answer || answer.status === 404;
    if (isOver && (!hasEnded || byId('message').textContent.trim() === '')) ended();
    hasEnded = isOver;
  }, 5000);
  const download = (copy) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([copy], { type: 'application/json5' }));
    link.download = 'my-plan.json5';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const post = (how) => fetch(data.plan, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ revision, base, ...how, ...plan }),
  });
  const save = async (how = {}) => {
    if (isSaving) return;
    if (!isChanged()) { say('nothingChanged'); return; }
    const sent = text();
    isSaving = true;
    try {
      const answer = await post(how);
      // A later run of the command has another address.
      if (answer.status === 404) throw new Error('ended');
      if (answer.status === 422) {
        const { faults } = await answer.json();
        showFaults(faults);
        selectField(faults[0]);
        return;
      }
      if (answer.status === 409) { offer(await answer.text()); return; }
      if (!answer.ok) { refused(answer); return; }
      const result = await answer.json();
      if (result.copy !== undefined) { download(result.copy); return; }
      ({ revision } = result);
      saved = sent;
      show();
      say('saved');
      warn(result.warnings);
    } catch { ended(); } finally { isSaving = false; }
  };
  byId('save').addEventListener('click', () => save());

  // A table of exhibits, as a spreadsheet copies it: cells between tabs, or with commas or semicolons. A cell in quotes can have line breaks.
  const cellsOf = (source) => {
    const header = source.split('\n')[0];
    const mark = ['\t', ';', ','].find((one) => header.includes(one)) || '\t';
    const table = [['']];
    let isQuoted = false;
    for (let i = 0; i < source.length; i += 1) {
      const row = table[table.length - 1];
      const last = row.length - 1;
      const sign = source[i];
      if (isQuoted && sign === '"' && source[i + 1] === '"') { row[last] += sign; i += 1; }
      else if (isQuoted) { if (sign === '"') isQuoted = false; else row[last] += sign; }
      else if (sign === '"' && row[last] === '') isQuoted = true;
      else if (sign === mark) row.push('');
      else if (sign === '\n') table.push(['']);
      else if (sign !== '\r') row[last] += sign;
    }
    return table.map((row) => row.map((cell) => cell.trim()));
  };
  const alike = (text) => text.toLowerCase().normalize();
  // A column is named by a field, in a language of the page, and by the language of its texts: its name or its tag.
  const columnOf = (name) => {
    const keyOf = (text) => Object.keys(columns).find((known) => columns[known].some((word) => alike(word) === text));
    const whole = keyOf(alike(name).replace(/\.$/, ''));
    if (whole) return { key: whole };
    const [, first, tag] = alike(name).match(/^(.*?)(?:[\s_-]*[\s_([-]\s*([^\s()[\]]+)[)\]]?)?$/);
    const key = keyOf(first);
    if (!key || !tag) return { key };
    const shown = [document.documentElement.lang, 'en'].map((page) => new Intl.DisplayNames(page, { type: 'language' }));
    // The languages of the page have names; a tag may be one that the browser does not know.
    const namesOf = (language) => [language, ...(names[language] ? [names[language], ...shown.map((list) => list.of(language))] : [])];
    const language = [...plan.languages, ...Object.keys(names)].find((known) => namesOf(known).some((name) => alike(name) === tag));
    return { key: ['title', 'text'].includes(key) && language ? key : undefined, language };
  };
  // Reads a table into `exhibits` that are new or changed, with `notes` on what is not used. The plan stays as it is.
  const exhibitsOf = (source) => {
    const [header, ...rows] = cellsOf(source);
    const notes = [];
    const columns = header.map((name) => {
      const { key, language } = columnOf(name);
      const isKnown = !language || plan.languages.includes(language);
      if (name && key && !isKnown) notes.push(phrase('columnLanguage', name, nameIn(language)));
      else if (name && !key) notes.push(phrase('columnUnused', name));
      return key && isKnown ? { key, language: language || plan.languages[0] } : null;
    });
    if (!columns.some((column) => column?.key === 'number')) return { notes: [phrase('tableNeeds', words.number)] };
    const read = [];
    rows.forEach((cells, index) => {
      if (!cells.some((cell) => cell)) return;
      const row = { title: {}, text: {} };
      cells.forEach((cell, place) => {
        const column = cell && columns[place];
        if (!column) return;
        if (column.key in { title: 0, text: 0 }) row[column.key][column.language] = cell; else row[column.key] = cell;
      });
      const viewing = row.viewing ? Number(row.viewing.replace(',', '.')) : null;
      const wholeOf = (text, most) => (/^\d{1,5}$/.test(text || '') && Number(text) <= most ? Number(text) : null);
      const number = wholeOf(row.number, 99999);
      const [major, minor] = [wholeOf(row.major, 65535), wholeOf(row.minor, 65535)];
      const old = plan.exhibits.find((exhibit) => exhibit.number === number);
      const named = row.room && (plan.rooms.find((room) => Object.values(room.name).some((name) => alike(name) === alike(row.room)))
        || plan.rooms.find((room) => String(room.major) === row.room));
      const room = row.room ? named : plan.rooms.find((room) => major !== null && room.major === major) || (old && roomOf(old));
      const before = read.find((other) => other.room === room && other.major !== null);
      const owner = major !== null && (read.find((other) => other.major === major)?.room || plan.rooms.find((other) => other.major === major));
      let wrong;
      if (number === null) wrong = phrase('wrongNumber', row.number || '', 99999);
      else if (read.some((other) => other.number === number)) wrong = phrase('sameRow', number);
      else if (viewing !== null && !(viewing >= 0.1 && viewing <= 86400)) wrong = phrase('wrongNumber', row.viewing, 86400);
      else if (row.major && major === null) wrong = phrase('wrongNumber', row.major, 65535);
      else if (row.minor && minor === null) wrong = phrase('wrongNumber', row.minor, 65535);
      else if (!room) wrong = phrase('unknownRoom', row.room || row.major || '');
      else if (major !== null && before && before.major !== major) wrong = phrase('majorInUse', one(room.name), before.major);
      else if (owner && owner !== room) wrong = phrase('majorInUse', one(owner.name), major);
      else if (major === null && room.major === null && !before) wrong = phrase('roomNeedsMajor', one(room.name), words.major);
      if (wrong) notes.push(phrase('rowUnused', index + 2, wrong)); else read.push({ ...row, number, old, room, viewing, major, minor });
    });
    return { notes, read };
  };
  const merge = (read) => {
    for (const { room, major } of read) if (major !== null) setMajor(room, major);
    for (const { number, old, room, title, text: written, viewing, minor } of read) {
      const others = plan.exhibits.filter((other) => other.room === room.major).map((other) => other.minor);
      const exhibit = old || newExhibit(room, number > 65535 || others.includes(number) ? freeMinor(room) : number, number, null);
      if (exhibit.room !== room.major) {
        exhibit.room = room.major;
        if (others.includes(exhibit.minor)) exhibit.minor = freeMinor(room);
        if (exhibit.at && !inside(exhibit.at, room.outline)) exhibit.at = null;
      }
      exhibit.title = { ...exhibit.title, ...title };
      if (Object.keys(written).length) exhibit.text = { ...exhibit.text, ...written };
      if (viewing !== null) exhibit.viewing = viewing;
      if (minor !== null) exhibit.minor = minor;
      if (!old) plan.exhibits.push(exhibit);
    }
  };
  // What a table would change is counted in a copy.
  const readTable = () => {
    const source = byId('rows').value;
    byId('use-table').setAttribute('aria-disabled', true);
    const language = nameIn(plan.languages[1] || 'de');
    byId('table-hint').textContent = phrase('tableHint', words.number, words.room, words.title, words.text, language, words.viewing, words.major, words.minor);
    const { notes, read } = source.trim() ? exhibitsOf(source) : { notes: [] };
    const lines = [...notes];
    if (read) {
      const was = plan;
      plan = JSON.parse(text());
      const old = plan.exhibits.map((exhibit) => JSON.stringify(exhibit));
      merge(exhibitsOf(source).read);
      const changed = old.filter((one, index) => one !== JSON.stringify(plan.exhibits[index])).length;
      lines.unshift(phrase('tableCount', read.length, plan.exhibits.length - old.length, changed));
      byId('use-table').setAttribute('aria-disabled', text() === JSON.stringify(was));
      plan = was;
    }
    byId('table-notes').replaceChildren(...lines.map((line) => Object.assign(document.createElement('li'), { textContent: line })));
  };
  const openTable = (source = '') => {
    byId('table').hidden = false;
    byId('rows').value = source;
    readTable();
    byId('rows').focus();
    byId('table').scrollIntoView({ block: 'nearest' });
  };
  const closeTable = () => { byId('table').hidden = true; byId('paste-table').focus(); };
  byId('paste-table').addEventListener('click', () => { if (plan !== null) openTable(); });
  byId('rows').addEventListener('input', readTable);
  byId('cancel-table').addEventListener('click', closeTable);
  byId('use-table').addEventListener('click', () => {
    if (byId('use-table').ariaDisabled === 'true') return;
    change(() => merge(exhibitsOf(byId('rows').value).read));
    closeTable();
    const next = plan.exhibits.find((exhibit) => !exhibit.at);
    if (next) say('tableNext', one(next.title), words.placeBeacon);
  });
  addEventListener('paste', (event) => {
    const source = event.clipboardData.getData('text/plain');
    if (plan === null || ['INPUT', 'TEXTAREA'].includes(event.target.tagName) || !/[\t\n]/.test(source)) return;
    event.preventDefault();
    openTable(source);
  });

  // Another language of the page: its words change in place, so that no work is lost.
  const speak = async (link) => {
    const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), 'text/html');
    words = JSON.parse(page.body.dataset.words);
    data.plan = page.body.dataset.plan;
    [document.documentElement.lang, document.title] = [page.documentElement.lang, page.title];
    for (const element of document.querySelectorAll('[data-word]')) element.textContent = words[element.dataset.word];
    for (const element of document.querySelectorAll('[data-label]')) element.ariaLabel = words[element.dataset.label];
    for (const other of document.querySelectorAll('nav a')) {
      if (other === link) other.setAttribute('aria-current', 'page'); else other.removeAttribute('aria-current');
    }
    history.replaceState(null, '', link.href);
    shownFields = null;
    say('');
    show();
    readTable();
    const answer = await post({ copy: true });
    warn(answer.ok ? (await answer.json()).warnings : []);
  };
  document.querySelector('nav').addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || plan === null) return;
    event.preventDefault();
    speak(link).catch(() => ended());
  });
  addEventListener('beforeunload', (event) => { if (isChanged()) event.preventDefault(); });
  document.querySelectorAll('form').forEach((form) => form.addEventListener('submit', (event) => event.preventDefault()));
  load().catch(() => say('lost'));
})();
