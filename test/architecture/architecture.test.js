import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PROGRAMS = ['r2-benchmark.js', 'peak-performance.js'];

/** The entry point for other programs. */
const PUBLIC = 'lib/index.js';

/**
 * The rooms of lib, from top to bottom: imports point down, those of types included. What lies directly in `result` is the
 * record itself, data that everyone may name.
 */
const ROOMS = [
  'cli',
  PUBLIC,
  'report',
  'series',
  'run',
  'result',
  'options',
  'local-s3',
  'load',
  'measure',
  'store',
  'text',
];

/** The rooms within rooms. What lies directly in a room, or in another folder of it, is a room of the same name. */
const INNER_ROOMS = [
  'report/telemetry',
  'run/cleanup',
  'run/preflight',
  'run/search',
  'result/bottleneck',
  'result/compare',
  'result/figures',
  'result/log',
  'result/merge',
  'result/thresholds',
  'options/store',
  'load/operations',
  'load/replay',
  'load/workload',
  'measure/clock',
  'measure/host',
  'measure/statistics',
  'store/aws',
  'store/http',
];

/** The rooms that each room, or room within one, may import from besides itself, for types too. */
const ARROWS = /** @type {Record<string, string[]>} */ ({
  cli: [
    PUBLIC,
    'report',
    'report/telemetry',
    'series',
    'run',
    'run/cleanup',
    'run/preflight',
    'result',
    'result/compare',
    'result/figures',
    'result/log',
    'result/merge',
    'result/thresholds',
    'options',
    'options/store',
    'load/operations',
    'load/replay',
    'load/workload',
    'measure/clock',
    'measure/host',
    'store',
    'text',
  ],
  [PUBLIC]: ['report', 'run', 'result', 'result/compare', 'result/merge', 'result/thresholds', 'options'],
  report: [
    'series',
    'run',
    'result',
    'result/bottleneck',
    'result/compare',
    'result/figures',
    'result/log',
    'result/merge',
    'options',
    'load/operations',
    'load/workload',
    'measure/statistics',
    'text',
  ],
  'report/telemetry': ['result', 'result/figures', 'measure/host'],
  series: ['run', 'result', 'options', 'options/store', 'load/operations', 'measure/host', 'text'],
  run: [
    'run/cleanup',
    'run/preflight',
    'run/search',
    'result',
    'result/bottleneck',
    'options',
    'options/store',
    'load',
    'load/operations',
    'load/replay',
    'load/workload',
    'measure',
    'measure/clock',
    'measure/host',
    'measure/statistics',
    'store',
    'store/http',
    'text',
  ],
  'run/cleanup': ['result', 'load', 'load/workload', 'measure/clock', 'measure/statistics', 'store', 'text'],
  'run/preflight': [
    'run/cleanup',
    'result',
    'load',
    'load/operations',
    'load/workload',
    'measure/clock',
    'store',
    'text',
  ],
  'run/search': ['result', 'load', 'load/operations', 'measure/clock', 'measure/statistics'],
  result: ['text'],
  'result/bottleneck': ['result', 'text'],
  'result/compare': ['result', 'result/figures', 'options', 'measure/statistics', 'text'],
  'result/figures': ['result', 'text'],
  'result/log': ['result', 'result/figures', 'load/operations', 'measure/statistics', 'text'],
  'result/merge': ['result', 'result/log', 'load/operations', 'measure/statistics', 'text'],
  'result/thresholds': ['result', 'result/figures', 'text'],
  options: ['result', 'local-s3', 'load/operations', 'load/workload', 'measure/clock', 'store', 'store/aws', 'text'],
  'options/store': ['result', 'options', 'local-s3', 'load/workload', 'store/aws', 'text'],
  'local-s3': ['load/workload', 'measure/host', 'text'],
  load: [
    'result',
    'load/operations',
    'load/workload',
    'measure',
    'measure/clock',
    'measure/host',
    'store',
    'store/http',
  ],
  'load/operations': ['result', 'load/workload', 'store', 'text'],
  'load/replay': ['result', 'load/operations', 'load/workload'],
  'load/workload': ['result', 'measure/statistics', 'text'],
  measure: ['result', 'measure/clock', 'store'],
  'measure/clock': ['result', 'store', 'text'],
  'measure/host': ['result'],
  'measure/statistics': ['result'],
  store: ['result', 'store/http', 'text'],
  'store/aws': ['result', 'store', 'text'],
  'store/http': [],
  text: [],
});

const page = readFileSync(path.join(ROOT, 'docs/develop/architecture.md'), 'utf8');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).toSorted();

/**
 * The most lines of code that each room may have, without blank lines, comments and generated files. A change that needs
 * more raises the number in a separate commit, which shows why.
 */
const MAX_CODE_LINES = /** @type {Record<string, number>} */ ({
  cli: 2800,
  'index.js': 100,
  report: 2950,
  'report/telemetry': 450,
  series: 300,
  run: 2250,
  'run/cleanup': 750,
  'run/preflight': 1000,
  'run/search': 800,
  result: 1600,
  'result/bottleneck': 800,
  'result/compare': 600,
  'result/figures': 620,
  'result/log': 1150,
  'result/merge': 750,
  'result/thresholds': 200,
  options: 1900,
  'options/store': 700,
  'local-s3': 1550,
  load: 1800,
  'load/operations': 1250,
  'load/replay': 750,
  'load/workload': 1150,
  measure: 550,
  'measure/clock': 250,
  'measure/host': 300,
  'measure/statistics': 250,
  store: 2000,
  'store/aws': 300,
  'store/http': 1050,
  text: 550,
});

/**
 * @typedef {object} SourceFile
 * @property {string} name from the root of the project
 * @property {string} folder of lib, or the entry point for other programs; '' for a program
 * @property {string} text
 * @property {string} code the text without comments
 * @property {string[]} imports names of the project's files, including a worker's entry file
 * @property {string[]} packages names of packages, except Node's own
 * @property {string[]} typeImports files named in a type
 */

const files = [...PROGRAMS, ...list('lib')].map(readSource);
// Type declarations are imported as if they were modules.
const byName = new Map(files.map((file) => [file.name.replace(/\.d\.ts$/, '.js'), file]));

/** @param {string} folder @param {RegExp} [pattern] */
function list(folder, pattern = /\.(js|d\.ts)$/) {
  const names = /** @type {string[]} */ (readdirSync(path.join(ROOT, folder), { recursive: true }));
  return names.filter((name) => pattern.test(name)).map((name) => path.posix.join(folder, name));
}

/**
 * @param {string} name
 * @returns {SourceFile}
 */
function readSource(name) {
  const text = readFileSync(path.join(ROOT, name), 'utf8');
  const code = text.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
  const isTypes = name.endsWith('.d.ts');
  const specifiers = [
    ...(isTypes ? [] : matches(code, /^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'/gm)),
    ...matches(code, /^import '([^']+)'/gm),
    ...matches(code, /\bimport\('([^']+)'\)/g),
    ...matches(code, /\bimport\.meta\.resolve\('([^']+)'\)/g),
    ...matches(code, /\bnew URL\('([^']+\.js)', import\.meta\.url\)/g),
  ];
  const inTypes = [
    ...(isTypes ? matches(code, /^import type\b[^;'"]*?\bfrom '([^']+)'/gm) : []),
    ...matches(text, /^\s*\/?\*.*\bimport\('([^']+)'\)/gm),
    ...matches(text, /^(?: \*|\/\*\*) @import .* from '([^']+)'/gm),
  ];
  return {
    name,
    folder: PROGRAMS.includes(name) ? '' : folderOf(name),
    text,
    code,
    imports: specifiers.filter(isRelative).map((specifier) => resolve(name, specifier)),
    packages: specifiers.filter((specifier) => !isRelative(specifier) && !specifier.startsWith('node:')).map(packageOf),
    typeImports: inTypes.filter(isRelative).map((specifier) => resolve(name, specifier)),
  };
}

/**
 * @param {string} text
 * @param {RegExp} pattern with one group
 */
function matches(text, pattern) {
  return [...text.matchAll(pattern)].map(([, group]) => group);
}

/** @param {string} specifier */
function isRelative(specifier) {
  return specifier.startsWith('.');
}

/**
 * @param {string} from
 * @param {string} specifier
 */
function resolve(from, specifier) {
  return path.posix.join(path.posix.dirname(from), specifier);
}

/** @param {string} specifier */
function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * @param {string} name
 * @returns {string} the innermost room; the name itself if it is in no folder of lib
 */
function folderOf(name) {
  const [, room, within] = /^lib\/([^/]+)\/(?:([^/]+)\/)?/.exec(name) ?? [];
  return room === undefined ? name : INNER_ROOMS.includes(`${room}/${within}`) ? `${room}/${within}` : room;
}

/** @param {string} folder */
function roomOf(folder) {
  return folder === PUBLIC ? PUBLIC : folder.split('/')[0];
}

test('the scan sees every import that the files have', () => {
  for (const { name, code, imports, packages } of files) {
    const all =
      matches(code, /^(?:import\b|export\b.*\bfrom\b|\} from\b)/gm).length + matches(code, /\bimport\(/g).length;
    assert.ok(imports.length + packages.length <= all + 5, name);
    assert.deepEqual(
      imports.filter((imported) => !byName.has(imported)),
      [],
      `${name} imports a file that the scan does not know`,
    );
  }
  assert.ok(files.length > 50);
  assert.deepEqual(byName.get('lib/store/object-store.js')?.imports, [
    'lib/store/s3-calls.js',
    'lib/store/direct-store.js',
    'lib/store/sdk-store.js',
    'lib/store/direct-store.js',
    'lib/store/public-store.js',
  ]);
});

// The type checker checks only imports.
test('a file that another names by its path exists', () => {
  const missing = [...PROGRAMS, ...['lib', 'edge', 'bench', 'scripts', 'test'].flatMap((folder) => list(folder))]
    .filter((name) => !name.includes('/node_modules/'))
    .flatMap((name) => {
      const code = readFileSync(path.join(ROOT, name), 'utf8');
      return matches(code, /\bnew URL\('(\.[^']*\.\w+)', import\.meta\.url\)/g).map((place) => ({ name, place }));
    })
    .filter(({ name, place }) => !existsSync(path.join(ROOT, resolve(name, place))));
  assert.deepEqual(missing, []);
});

test('types are imported at the top of a file, not spelled out at each use', () => {
  const inline = files.filter(({ text }) => /^\s*\/?\*.*\bimport\('/m.test(text)).map(({ name }) => name);
  assert.deepEqual(inline, []);
});

test('imports follow the arrows of the design, those of types too', () => {
  const strange = files.flatMap(({ name, folder, imports, typeImports }) =>
    [...imports, ...typeImports]
      .filter((imported) => {
        const target = folderOf(imported);
        return PROGRAMS.includes(name) ? target !== 'cli' : target !== folder && !ARROWS[folder]?.includes(target);
      })
      .map((imported) => `${name} → ${imported}`),
  );
  assert.deepEqual(strange, []);
});

test('the arrows between the rooms of lib only point down, and those within a room form no cycle', () => {
  const folders = [...new Set(files.map(({ folder }) => folder))].filter((folder) => folder !== '');
  assert.deepEqual(folders.toSorted(), Object.keys(ARROWS).toSorted());
  assert.deepEqual([...new Set(folders.map(roomOf))].toSorted(), ROOMS.toSorted());
  const up = Object.entries(ARROWS).flatMap(([from, targets]) =>
    targets
      .filter((to) => to !== 'result' && ROOMS.indexOf(roomOf(to)) < ROOMS.indexOf(roomOf(from)))
      .map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(up, []);
  assert.equal(
    cycleIn(Object.keys(ARROWS), (folder) => ARROWS[folder]),
    null,
  );
});

test('no room has more lines of code than it may have', () => {
  /** @type {Record<string, number>} */
  const lines = {};
  for (const name of list('lib', /\.(js|ts|css)$/).filter((file) => !file.endsWith('result.schema.d.ts'))) {
    const room = folderOf(name).replace(/^lib\//, '');
    lines[room] = (lines[room] ?? 0) + codeLines(readFileSync(path.join(ROOT, name), 'utf8'));
  }
  assert.deepEqual(Object.keys(lines).toSorted(), Object.keys(MAX_CODE_LINES).toSorted());
  for (const [room, count] of Object.entries(lines)) {
    assert.ok(count <= MAX_CODE_LINES[room], `lib/${room} has ${count} lines of code, at most ${MAX_CODE_LINES[room]}`);
  }
});

/** @param {string} text */
function codeLines(text) {
  let isComment = false;
  let count = 0;
  for (const line of text.split('\n').map((untrimmed) => untrimmed.trim())) {
    isComment ||= line.startsWith('/*');
    count += Number(!isComment && line !== '' && !line.startsWith('//'));
    isComment &&= !line.includes('*/');
  }
  return count;
}

test('no file imports itself, not even through others', () => {
  assert.equal(
    cycleIn([...byName.keys()], (name) => byName.get(name)?.imports ?? []),
    null,
  );
});

/**
 * @param {readonly string[]} nodes
 * @param {(node: string) => readonly string[]} next
 * @returns {string | null} a cycle
 */
function cycleIn(nodes, next) {
  const done = new Set();
  /**
   * @param {string} node
   * @param {readonly string[]} way path to it
   * @returns {string | null}
   */
  const visit = (node, way) => {
    if (way.includes(node)) {
      return [...way.slice(way.indexOf(node)), node].join(' → ');
    }
    if (done.has(node)) {
      return null;
    }
    const found = next(node).reduce(
      (/** @type {string | null} */ cycle, neighbour) => cycle ?? visit(neighbour, [...way, node]),
      null,
    );
    done.add(node);
    return found;
  };
  return nodes.reduce((/** @type {string | null} */ cycle, node) => cycle ?? visit(node, []), null);
}

test('operations/ see the interface of a store, its calls and its errors, but no implementation', () => {
  const seen = files
    .filter(({ folder }) => folder === 'load/operations')
    .flatMap(({ imports, typeImports }) => [...imports, ...typeImports])
    .filter((imported) => folderOf(imported) === 'store');
  const known = ['lib/store/object-store.js', 'lib/store/s3-calls.js', 'lib/store/s3-error.js'];
  assert.deepEqual([...new Set(seen)].toSorted(), known);
});

test('only cli/ and the programs touch arguments, environment, exit status, signals and the terminal', () => {
  // A program that calls the library also has an environment. The processes that the SDK starts are ended by id.
  const free = [
    ...[...PROGRAMS, 'lib/local-s3/process.js', 'lib/report/telemetry/otlp-process.js', 'lib/run/run.js'],
    'lib/store/aws/credentials.js',
  ];
  const strange = files
    .filter(({ name, folder }) => folder !== 'cli' && !free.includes(name))
    .filter(({ code }) =>
      /\bprocess\s*\.\s*(argv|env|exit|exitCode|kill|on|once|stdin|stdout|stderr)\b|from 'node:process'|\bconsole\.\w+\(/.test(
        code,
      ),
    );
  assert.deepEqual(
    strange.map(({ name }) => name),
    [],
  );
});

test('randomness comes in through cli/ alone, and time through cli/ and the one clock', () => {
  // The embedded endpoint is a store and has its own clock. The SDK receives the error of the clock. Functions
  // cannot be sent to another thread, so a worker thread makes its own random function.
  const free = ['lib/run/run.js', 'lib/measure/clock/clock.js', 'lib/store/sdk-store.js', 'lib/load/worker-thread.js'];
  const strange = files
    .filter(({ name, folder }) => folder !== 'cli' && folder !== 'local-s3' && !free.includes(name))
    .filter(({ code }) => /Math\.random|Date\.now|performance\.now|new Date\(\)/.test(code));
  assert.deepEqual(
    strange.map(({ name }) => name),
    [],
  );
});

/**
 * @param {readonly string[]} names of files
 * @returns {{ loaded: Set<string>, packages: Set<string> }} everything that loads with them, before any of it runs
 */
function loadedWith(names) {
  /** @type {Set<string>} */
  const loaded = new Set();
  /** @type {Set<string>} */
  const packages = new Set();
  const load = (/** @type {string} */ name) => {
    const file = byName.get(name);
    if (file !== undefined && !loaded.has(name)) {
      loaded.add(name);
      const { code } = file;
      const specifiers = matches(code, /^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'/gm);
      specifiers.filter(isRelative).forEach((specifier) => load(resolve(name, specifier)));
      specifiers
        .filter((specifier) => !isRelative(specifier))
        .forEach((specifier) => packages.add(packageOf(specifier)));
    }
  };
  names.forEach(load);
  return { loaded, packages };
}

test('neither the SDK nor the embedded endpoint is loaded before it is used', () => {
  const { loaded, packages } = loadedWith(list('lib/cli'));
  assert.ok(loaded.has('lib/run/benchmark-run.js'));
  assert.ok(!loaded.has('lib/local-s3/start.js'));
  assert.deepEqual(
    [...packages].filter((name) => /^@aws-sdk|^@smithy/.test(name)),
    [],
  );
});

// The reporters name options, and load with the command line.
test('the library has at most ten names, all explained on its page, and loads nothing of cli/', async () => {
  const names = Object.keys(await import('../../lib/index.js'));
  const library = readFileSync(path.join(ROOT, 'docs/use/library.md'), 'utf8');
  assert.deepEqual(
    names.filter((name) => !library.includes(name)),
    [],
  );
  assert.ok(names.length <= 10);
  const reached = new Set([PUBLIC]);
  reached.forEach((name) => byName.get(name)?.imports.forEach((imported) => reached.add(imported)));
  assert.ok(reached.size > 100);
  assert.deepEqual(
    [...reached].filter((name) => folderOf(name) === 'cli'),
    [],
  );
});

test('the dependencies of a command are not loaded before the command is known', () => {
  const { loaded } = loadedWith(['lib/cli/main.js']);
  assert.ok(loaded.has('lib/cli/command-line.js'));
  const early = ['report/telemetry', 'run', 'result/merge', 'result/compare', 'run/cleanup', 'load', 'store/http'];
  assert.deepEqual(
    [...loaded].filter((name) => early.includes(folderOf(name))),
    [],
  );
});

test('packages that need not be installed are imported by telemetry/ alone, which nothing imports before it is used', () => {
  const optional = Object.keys(manifest.peerDependencies);
  assert.deepEqual(Object.keys(manifest.peerDependenciesMeta), optional);
  for (const name of optional) {
    assert.equal(manifest.devDependencies[name], manifest.peerDependencies[name]);
  }
  const users = files.filter(({ packages }) => packages.some((name) => optional.includes(name)));
  assert.deepEqual([...new Set(users.map(({ folder }) => folder))], ['report/telemetry']);
  const { loaded } = loadedWith([...list('lib/cli'), PUBLIC]);
  assert.deepEqual(
    [...loaded].filter((name) => folderOf(name) === 'report/telemetry'),
    [],
  );
});

test('every dependency is imported, and nothing else is', () => {
  const imported = new Set(files.flatMap(({ packages }) => packages));
  assert.deepEqual([...imported].toSorted(), dependencies);
});

test('the architecture page states the purpose of every dependency', () => {
  const [, table] = page.split('## Dependencies\n');
  const rows = matches(table, /^\| ([@a-z][^ ]*) +\| \S/gm).filter((name) => name !== 'package');
  assert.deepEqual(rows.toSorted(), dependencies);
});

test('the architecture page names every room and draws only existing arrows', () => {
  const rooms = Object.keys(ARROWS).map((room) => room.replace(/^lib\//, ''));
  assert.deepEqual(matches(page, /^\| `([^`]+)` +\| \S/gm).toSorted(), rooms.toSorted());
  const drawn = [...page.matchAll(/^ +(\S+) --> (.+)$/gm)].flatMap(([, from, to]) =>
    to.split(' & ').map((room) => ({ from: from.replace(/\[.*/, ''), to: room })),
  );
  assert.ok(drawn.length > Object.keys(ARROWS).length);
  const strange = drawn.filter(({ from, to }) => !(from === 'programs' ? ['cli'] : ARROWS[from])?.includes(to));
  assert.deepEqual(strange, []);
});
