// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

// The page asks the program `warpgauge`, compiled to WebAssembly, and shows what it answers. No time is computed here.

const at = id => document.getElementById(id);
const FIELDS = ['kernel', 'grid', 'block', 'shared', 'gpu', 'model', 'rounds', 'taken'];

// --- The program

let program;
const said = [];
const complaints = [];

// Runs the program as a shell does: its exit status, and what it writes.
function run(args) {
  said.length = complaints.length = 0;
  const status = program.callMain(args.slice());
  return {status, out: said.join('\n'), error: complaints.join('\n')};
}

// What `warpgauge COMMAND` answers of the launch in the form: its JSON and its picture, or why there is none.
function ask(command, more = [], picture = true) {
  const args = [command, 'kernel.ptx', ...launchArguments(), '--device', at('gpu').value, ...more, '--json'];
  const {status, out, error} = run(picture ? [...args, '--svg', 'picture.svg'] : args);
  if (status !== 0) return {error};
  return {
    text: out,
    answer: JSON.parse(out),
    svg: picture ? program.FS.readFile('picture.svg', {encoding: 'utf8'}) : '',
  };
}

// --- The form

function launchArguments() {
  const args = ['--kernel', at('kernel').value];
  for (const name of ['grid', 'block', 'shared']) {
    if (at(name).value.trim()) args.push('--' + name, at(name).value.trim());
  }
  for (const field of argumentFields()) {
    if (field.value.trim()) args.push('--arg', `${field.dataset.place}=${field.value.trim()}`);
  }
  for (const name of ['rounds', 'taken']) {
    for (const hint of at(name).value.split(/\s+/).filter(Boolean)) args.push('--' + name, hint);
  }
  return args;
}

function modelArguments() {
  return at('model').value ? ['--model', at('model').value] : [];
}

function argumentFields() {
  return [...at('arguments').querySelectorAll('input')];
}

function setOptions(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  if (options.some(([value]) => value === before)) select.value = before;
}

// The kernels of the text and the arguments of the chosen one. Values stay where a place keeps its type.
function readKernels() {
  program.FS.writeFile('kernel.ptx', at('ptx').value);
  program.FS.writeFile('kernel.ptxas', at('ptxas').value);
  const {status, out, error} = run(['kernels', 'kernel.ptx', '--json']);
  if (status !== 0) return error;
  const rows = JSON.parse(out).kernels;
  const names = [...new Set(rows.map(row => row.kernel))];
  setOptions(at('kernel'), names.map(name => [name, name]));
  showArguments(rows.filter(row => row.kernel === at('kernel').value && row.needs_value));
  return '';
}

function showArguments(parameters) {
  const before = new Map(argumentFields().map(field => [field.dataset.place, field.value]));
  at('arguments').replaceChildren(...parameters.map(p => {
    const label = element('label', `${p.type} ${p.parameter}`);
    const field = element('input');
    field.dataset.place = p.place;
    field.inputMode = 'numeric';
    field.value = before.get(String(p.place)) ?? '';
    field.setAttribute('aria-describedby', 'error');
    label.append(field);
    return label;
  }));
  if (!parameters.length) at('arguments').append(element('p', 'none', 'pale'));
}

function takeExample(example) {
  at('ptx').value = example.ptx;
  at('ptxas').value = example.ptxas;
  for (const name of ['grid', 'block']) at(name).value = example[name];
  for (const name of ['shared', 'rounds', 'taken']) at(name).value = '';
  readKernels();
  if (example.kernel) at('kernel').value = example.kernel;
  readKernels();
  for (const field of argumentFields()) field.value = example.arguments[field.dataset.place] ?? '';
}

// --- The address: what is chosen, so that a link shows the same. The text itself is not part of it.

function writeAddress() {
  const state = new URLSearchParams();
  if (at('example').value) state.set('example', at('example').value);
  for (const name of FIELDS) if (at(name).value) state.set(name, at(name).value);
  for (const field of argumentFields()) state.set('arg' + field.dataset.place, field.value);
  for (const range of sliders()) if (FACTORS[range.value] !== 1) state.set('set-' + range.name, FACTORS[range.value]);
  history.replaceState(null, '', '#' + state);
}

function readAddress() {
  const state = new URLSearchParams(location.hash.slice(1));
  const example = EXAMPLES.find(e => e.title === state.get('example')) ?? EXAMPLES[0];
  at('example').value = example.title;
  takeExample(example);
  if (state.has('kernel')) at('kernel').value = state.get('kernel');
  readKernels();
  for (const name of FIELDS) if (state.has(name)) at(name).value = state.get(name);
  for (const field of argumentFields()) {
    field.value = state.get('arg' + field.dataset.place) ?? field.value;
  }
  makeSliders();
  for (const range of sliders()) {
    const n = FACTORS.indexOf(Number(state.get('set-' + range.name)));
    if (n >= 0) range.value = n;
  }
}

// --- What is shown

function element(tag, text = '', className = '') {
  const e = document.createElement(tag);
  e.textContent = text;
  e.className = className;
  return e;
}

// A number as people read it, with the exact one beside it.
function number(exact, text) {
  const e = element('data', text);
  e.value = exact;
  return e;
}

function duration(seconds) {
  const [scale, unit] = [[1, 's'], [1e3, 'ms'], [1e6, 'µs']].find(([s]) => seconds * s >= 1) ?? [1e9, 'ns'];
  return number(seconds, `${(seconds * scale).toFixed(2)} ${unit}`);
}

const percent = fraction => number(fraction, `${(100 * fraction).toFixed(1)}%`);
const times = factor => number(factor, `${factor.toFixed(2)}x`);

// A table of rows of texts and elements; the first column names the row, `right` ones are numbers.
function table(titles, rows, right) {
  const line = (cells, tag) => {
    const tr = element('tr');
    cells.forEach((cell, n) => {
      const td = element(n === 0 ? 'th' : tag, '', right.includes(n) ? 'right' : '');
      if (tag === 'th' || n === 0) td.scope = tag === 'th' ? 'col' : 'row';
      td.append(cell ?? '');
      tr.append(td);
    });
    return tr;
  };
  const t = element('table');
  const head = element('thead');
  const body = element('tbody');
  head.append(line(titles, 'th'));
  body.append(...rows.map(row => line(row, 'td')));
  t.append(head, body);
  return t;
}

function detailsOf(title, ...content) {
  const d = element('details');
  d.append(element('summary', title), ...content);
  return d;
}

function picture(svg) {
  const box = element('div', '', 'scroll');
  box.innerHTML = svg;  // the program escapes all names in it
  return box;
}

function show(id, asked, ...content) {
  at(id).replaceChildren(...(asked.error ? [element('p', asked.error, 'pale')] : content));
}

function notes(answer) {
  return answer.notes.map(note => element('p', note, 'pale'));
}

function showTime(asked) {
  const p = asked.answer.predictions[0];
  at('time').replaceChildren(duration(p.seconds));
  at('status').textContent = `${asked.answer.kernel} on ${p.gpu}, by ${p.model}` +
      (p.limited_by ? `: limited by ${p.limited_by}.` : '.');
  at('json').textContent = asked.text;
  at('command').textContent = commandLine(['predict', 'kernel.ptx', ...launchArguments(),
    '--device', at('gpu').value, ...modelArguments()]);
}

function commandLine(args) {
  const quoted = args.map(arg => /^[\w.,=:+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`);
  return 'warpgauge ' + quoted.join(' ');
}

function showModels() {
  const asked = ask('compare', [], false);
  if (asked.error) return show('models', asked);
  const {gpu, ...seconds} = asked.answer.seconds[0];
  const said = model => asked.answer.notes.filter(note => note.startsWith(model + ' ') || note.startsWith(`no ${model} `))
      .map(note => note.replace(/^no \w+ for [^:]*: /, '').replace(/^\w+ takes/, 'takes')).join('; ');
  const rows = Object.entries(seconds).map(([model, s]) => [model, s === null ? 'none' : duration(s), said(model)]);
  rows.sort((a, b) => (a[1] === 'none') - (b[1] === 'none'));
  show('models', asked, table(['model', 'time', ''], rows, [1]));
}

function showOccupancy() {
  const asked = ask('occupancy', [], false);
  if (asked.error) return show('occupancy', asked);
  const o = asked.answer.occupancy[0];
  show('occupancy', asked, table(['', ''], [
    ['occupancy', percent(o.occupancy)],
    ['resident blocks of an SM', number(o.blocks_per_sm, o.blocks_per_sm)],
    ['resident warps of an SM', number(o.warps_per_sm, o.warps_per_sm)],
    ['limited by', o.limited_by],
    ['one block more with', o.next_step],
    ['registers of a thread', `${asked.answer.registers_per_thread}${asked.answer.registers_estimated ? ', estimated' : ''}`],
    ['shared memory of a block', `${asked.answer.shared_bytes_per_block} B`],
  ], [1]), ...notes(asked.answer));
}

function showLimits() {
  const asked = ask('explain', modelArguments());
  if (asked.error) return show('limits', asked);
  const a = asked.answer;
  const next = a.next ? ` ${a.next_after_factor ? `From ${a.next_after_factor.toFixed(1)}x on` : 'Then'}: ${a.next}.` : '';
  const rows = a.removals.map(r => [r.without, r.after, r.seconds === null ? 'none' : duration(r.seconds),
    r.gain_fraction === null ? '' : percent(r.gain_fraction)]);
  show('limits', asked, element('p', a.limited_by ? `Limited by ${a.limited_by}.${next}` : 'Nothing that the model knows limits it alone.'),
      picture(asked.svg), detailsOf('All as a table', table(['without', 'after', 'time', 'gain'], rows, [2, 3])),
      ...notes(a));
}

function showRoofline() {
  const asked = ask('roofline', modelArguments());
  if (asked.error) return show('roofline', asked);
  const p = asked.answer.points[0];
  show('roofline', asked, picture(asked.svg), element('p', `${p.instructions_per_byte.toPrecision(3)} instructions for each byte of DRAM, ` +
      `${(100 * p.fraction_of_roof).toFixed(1)}% of its roof.`, 'pale'));
}

function showSensitivity() {
  const asked = ask('sensitivity', modelArguments());
  if (asked.error) return show('sensitivity', asked);
  const rows = asked.answer.sensitivities.map(s => [s.parameter, s.of, number(s.elasticity, s.elasticity.toFixed(3)),
    number(s.below, s.below.toFixed(3)), number(s.above, s.above.toFixed(3))]);
  show('sensitivity', asked, element('p', 'Change of the time, in percent, for one percent more.', 'pale'), picture(asked.svg),
      detailsOf('All as a table', table(['parameter', 'of the', 'change', 'just below', 'just above'], rows, [2, 3, 4])));
}

function showTimeline() {
  const asked = ask('timeline');
  if (asked.error) return show('timeline', asked);
  const rows = asked.answer.cycles.map(c => [c.what, number(c.cycles, c.cycles), percent(c.fraction)]);
  show('timeline', asked, picture(asked.svg), detailsOf('Where the cycles go', table(['cycles', 'number', 'of all'], rows, [1, 2])),
      ...notes(asked.answer));
}

// --- What if

const FACTORS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
const SLIDERS = ['dram_bytes_per_s', 'clock_hz', 'sm_count', 'dram_latency_cycles', 'l2_bytes_per_cycle', 'l2_bytes',
  'shared_bytes_per_cycle', 'registers_per_sm', 'shared_bytes_per_sm', 'max_warps_per_sm'];

function sliders() {
  return [...at('sliders').querySelectorAll('input')];
}

function makeSliders() {
  const {out} = run(['devices', at('gpu').value, '--json']);
  const known = JSON.parse(out).parameters.filter(p => SLIDERS.includes(p.name));
  at('sliders').replaceChildren(...known.map(p => {
    const row = element('div', '', 'slider');
    const label = element('label', p.name);
    label.title = p.meaning;
    const range = Object.assign(element('input'), {type: 'range', id: 'slider-' + p.name, min: 0, max: FACTORS.length - 1,
      value: FACTORS.indexOf(1), name: p.name});
    label.htmlFor = range.id;
    row.append(label, range, element('output', '1x'), element('output'), element('output'));
    return row;
  }));
}

function showWhatIf() {
  writeAddress();
  const chosen = [];
  for (const range of sliders()) {
    const [factor, time, gain] = range.parentElement.querySelectorAll('output');
    factor.textContent = FACTORS[range.value] + 'x';
    range.setAttribute('aria-valuetext', factor.textContent);
    time.replaceChildren();
    gain.replaceChildren();
    if (FACTORS[range.value] !== 1) chosen.push({set: `${range.name}=${factor.textContent}`, time, gain});
  }
  if (!chosen.length) {
    at('what-if').textContent = 'Move a slider: each change alone, then all together.';
    return;
  }
  const asked = ask('what-if', [...modelArguments(), ...chosen.flatMap(c => ['--set', c.set])], false);
  if (asked.error) return void (at('what-if').textContent = asked.error);
  const answers = asked.answer.answers;
  chosen.forEach((c, n) => {
    const a = answers[n + 1];
    c.time.replaceChildren(a.seconds === null ? 'none' : duration(a.seconds));
    c.gain.replaceChildren(a.seconds === null ? '' : times(a.speed_up));
  });
  const all = answers[answers.length - 1];
  if (all.seconds === null) return void (at('what-if').textContent = asked.answer.notes.join('; '));
  at('what-if').replaceChildren('All together: ', duration(all.seconds), ', ', times(all.speed_up),
      ` as fast, limited by ${all.limited_by}.`);
}

// --- Errors

function showError(error) {
  at('error').textContent = error;
  for (const field of [at('ptx'), at('grid'), at('block'), at('shared'), ...argumentFields()]) field.removeAttribute('aria-invalid');
  at('results').classList.toggle('stale', error !== '');
  if (!error) return;
  at('status').textContent = at('json').textContent
      ? 'This launch has no answer; shown is the last one that had.' : 'This launch has no answer.';
  const field = fieldOf(error);
  if (!field) return;
  field.setAttribute('aria-invalid', 'true');
  const button = element('button', 'Go there');
  button.type = 'button';
  button.onclick = () => goTo(field, error);
  at('error').append(button);
}

function fieldOf(error) {
  const argument = error.match(/argument (\d+) \(/);
  if (argument) return argumentFields().find(field => Number(field.dataset.place) === argument[1] - 1) ?? null;
  const option = error.match(/--(arg|grid|block|shared)/) ?? error.match(/: (grid|block)/);
  if (option && option[1] === 'arg') return argumentFields()[0] ?? null;
  return option ? at(option[1]) : /^kernel\.ptx:\d+/.test(error) ? at('ptx') : null;
}

function goTo(field, error) {
  field.focus();
  const place = error.match(/^kernel\.ptx:(\d+):(\d+)/);
  if (!place || field !== at('ptx')) return;
  const lines = field.value.split('\n');
  const start = lines.slice(0, place[1] - 1).join('\n').length + (place[1] > 1 ? 1 : 0) + Number(place[2]) - 1;
  field.setSelectionRange(start, start + 1);
  field.scrollTop = (place[1] - 4) * field.scrollHeight / lines.length;
}

// --- Together

let round = 0;
const pause = () => new Promise(done => setTimeout(done));

// All answers, the first one first. A later call takes over.
async function update() {
  const mine = ++round;
  const bad = readKernels();
  const asked = bad ? {error: bad} : ask('predict', modelArguments(), false);
  showError(asked.error ?? '');
  if (asked.error) return;
  writeAddress();
  showTime(asked);
  for (const step of [showModels, showOccupancy, showLimits, showRoofline, showWhatIf, showSensitivity, showTimeline]) {
    await pause();
    if (mine !== round) return;
    step();
  }
  document.documentElement.dataset.done = String(mine);
}

let timer;
function soon(act) {
  clearTimeout(timer);
  timer = setTimeout(act, 250);
}

function fillForm() {
  setOptions(at('example'), [...EXAMPLES.map(e => [e.title, e.title]), ['', 'your own']]);
  const gpus = JSON.parse(run(['devices', '--json']).out).devices.map(d => d.gpu).reverse();
  setOptions(at('gpu'), gpus.map(gpu => [gpu, gpu]));
  at('gpu').value = 'H100 SXM5';
  takeExample(EXAMPLES[0]);
  const models = Object.keys(ask('compare', [], false).answer.seconds[0]).filter(key => key !== 'gpu');
  setOptions(at('model'), [['', 'the GPU\'s own'], ...models.map(name => [name, name])]);
}

function listen() {
  at('example').onchange = () => {
    const example = EXAMPLES.find(e => e.title === at('example').value);
    if (example) takeExample(example);
    update();
  };
  at('file').onchange = async () => {
    at('ptx').value = await at('file').files[0].text();
    ownText();
  };
  at('ptx').oninput = ownText;
  at('gpu').onchange = () => { makeSliders(); update(); };
  at('form').addEventListener('input', event => {
    if (event.target.matches('input:not([type=file]), #ptxas')) soon(update);
  });
  for (const name of ['kernel', 'model']) at(name).onchange = update;
  at('form').onsubmit = event => { event.preventDefault(); update(); };
  at('form').onkeydown = event => { if (event.ctrlKey && event.key === 'Enter') update(); };
  at('sliders').oninput = () => soon(showWhatIf);
  at('reset').onclick = () => { makeSliders(); showWhatIf(); };
}

function ownText() {
  at('example').value = '';
  at('ptxas').value = '';
  soon(update);
}

loadWarpgauge({print: line => said.push(line), printErr: line => complaints.push(line)}).then(module => {
  program = module;
  fillForm();
  readAddress();
  listen();
  return update();
}).catch(error => showError(`The program cannot be run in this browser: ${error}`));
