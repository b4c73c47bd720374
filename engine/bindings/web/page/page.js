'use strict';

// All content is set as text, never as markup.

const DEFAULT = {
  a: 'Straße',
  b: 'STRASSE',
  collations: ['utf8mb4_general_ci', 'utf8mb4_unicode_ci', 'utf8mb4_0900_ai_ci', 'utf8mb4_uca1400_ai_ci'],
};

const byId = (id) => document.getElementById(id);

/** Joins a module whose bytes at even places come first, so that it compresses better. */
function join(split) {
  const odd = (split.length + 1) >> 1;
  return split.map((_, at) => split[at % 2 === 0 ? at / 2 : odd + (at - 1) / 2]);
}

/** Unpacks and compiles the library. Returns a function from request to reply. */
async function load() {
  const packed = Uint8Array.from(atob(byId('library').textContent), (character) => character.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const split = new Uint8Array(await new Response(unpacked).arrayBuffer());
  const { instance } = await WebAssembly.instantiate(join(split));
  const { memory, input, answer, output } = instance.exports;
  return (question) => {
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    // A call may grow the memory, which detaches the buffer. So read memory.buffer after each call.
    const at = input(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = answer();
    const from = output();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, from, length)));
  };
}

/** Returns the request in the address's fragment, with defaults for missing parts. */
function fromFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const names = (given.get('c') ?? '').split(',').filter((name) => name !== '');
  return {
    a: given.get('a') ?? DEFAULT.a,
    b: given.get('b') ?? DEFAULT.b,
    collations: given.has('c') ? [...new Set(names)] : DEFAULT.collations,
  };
}

function toFragment({ a, b, collations }) {
  // A fragment need not escape commas and colons.
  const names = collations.map(encodeURIComponent).join(',').replaceAll('%3A', ':');
  return `#a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&c=${names}`;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const cell = (text, name = '') => element('td', name === '' ? {} : { class: name }, text);
const head = (...names) => element('thead', {}, element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name))));
const pad = (view) => (view.pads ? 'PAD SPACE' : 'NO PAD');
const SIGNS = { less: '<', equal: '=', greater: '>' };

/** Returns the overview: a line per collation. */
function overview({ views, told }) {
  const row = (view, index) =>
    element(
      'tr',
      {},
      cell(view.collation, 'code'),
      cell(view.servers),
      cell(pad(view)),
      cell(`a ${SIGNS[view.verdict]} b`, `verdict ${view.verdict}`),
      cell(told[index].because),
    );
  const table = element('table', { id: 'overview' }, head('collation', 'of', 'pad', 'verdict', 'because'));
  table.append(element('tbody', {}, ...views.map(row)));
  return element('div', { class: 'scroll' }, table);
}

/** Returns the table of a collation. Steps of both strings at the same position are in one row. */
function steps(view, { rows }) {
  const levels = view.levels.length > 1 ? view.levels : ['weights'];
  const side = (name) => [name, '', ...levels, ''];
  const cells = (step) => {
    if (step === null) return [cell('', 'first'), ...Array.from({ length: levels.length + 2 }, () => cell(''))];
    const weights = step.weights.map((weight) => cell(weight, 'weights'));
    return [cell(step.shown, 'first'), cell(step.code, 'code'), ...weights, cell(step.features.join(', '), 'features')];
  };
  const row = ({ a, b, parts }) => {
    const sign = cell(parts ? SIGNS[view.verdict] : '', 'sign');
    return element('tr', parts ? { class: 'parts' } : {}, ...cells(a), sign, ...cells(b));
  };
  const table = element('table', { class: 'steps' }, head(...side('a'), '', ...side('b')));
  table.append(element('tbody', {}, ...rows.map(row)));
  const title = element('h2', {}, view.collation, ' ', element('small', {}, `${view.servers}, ${pad(view)}`));
  return element('section', {}, title, element('div', { class: 'scroll' }, table));
}

function notes(lines) {
  return element('ul', { class: 'notes' }, ...lines.map((line) => element('li', {}, line)));
}

function start(ask) {
  const known = ask({ ask: 'collations' }).collations;
  byId('names').append(...known.map(({ name, servers }) => element('option', { value: name }, servers)));
  const canonical = new Map(known.map(({ name }) => [name.toLowerCase(), name]));
  let asked = fromFragment();

  const show = () => {
    const { explanation, error } = ask({ ask: 'explain', ...asked });
    const shown = error === undefined ? [overview(explanation)] : [element('p', {}, error)];
    if (error === undefined) {
      if (explanation.notes.length > 0) shown.push(notes(explanation.notes));
      explanation.views.forEach((view, index) => shown.push(steps(view, explanation.told[index])));
    }
    byId('answer').replaceChildren(...shown);
    const chip = (name) => {
      const button = element('button', { type: 'button', 'aria-label': `Remove ${name}` }, name);
      button.addEventListener('click', () => change({ collations: asked.collations.filter((other) => other !== name) }));
      return element('li', {}, button);
    };
    byId('chosen').replaceChildren(...asked.collations.map(chip));
    // An input that already has the value keeps its cursor.
    for (const side of ['a', 'b']) if (byId(side).value !== asked[side]) byId(side).value = asked[side];
  };
  const change = (changed) => {
    asked = { ...asked, ...changed };
    history.replaceState(null, '', toFragment(asked));
    show();
  };

  for (const side of ['a', 'b']) byId(side).addEventListener('input', (event) => change({ [side]: event.target.value }));
  byId('strings').addEventListener('submit', (event) => event.preventDefault());
  byId('swap').addEventListener('click', () => change({ a: asked.b, b: asked.a }));
  byId('share').addEventListener('click', async () => {
    history.replaceState(null, '', toFragment(asked));
    // Without a clipboard, the address bar has the link.
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    byId('share').textContent = copied ? 'Copied' : 'The link is in the address bar';
    setTimeout(() => (byId('share').textContent = 'Copy link'), 2000);
  });
  byId('collations').addEventListener('submit', (event) => {
    event.preventDefault();
    const given = byId('name').value.trim();
    const name = canonical.get(given.toLowerCase());
    byId('refused').textContent = given === '' || name !== undefined ? '' : `Neither MySQL nor MariaDB has a collation ${given}.`;
    if (name === undefined) return;
    byId('name').value = '';
    if (!asked.collations.includes(name)) change({ collations: [...asked.collations, name] });
  });
  addEventListener('hashchange', () => {
    asked = fromFragment();
    show();
  });
  show();
}

const ready = load().then(
  (ask) => {
    start(ask);
    return ask;
  },
  (error) => {
    byId('answer').replaceChildren(element('p', {}, `This browser can't run the library: ${error}`));
    throw error;
  },
);
