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
 * The folders of lib that each folder may import from, besides itself: the arrows of the design, which only point down.
 */
const ARROWS = /** @type {Record<string, string[]>} */ ({
  cli: [
    PUBLIC,
    'cost',
    ...['run', 'preflight', 'cleanup', 'clock', 'operations', 'workload', 'text', 'log', 'merge', 'report'],
    ...[
      'store',
      'options',
      'compare',
      'host',
      'local-s3',
      'model',
      'replay',
      'thresholds',
      'telemetry',
      's3',
      'series',
      'figures',
    ],
  ],
  [PUBLIC]: ['compare', 'merge', 'model', 'options', 'report', 'run', 'store', 'thresholds'],
  series: ['run', 'store', 'options', 'operations', 'host', 'model', 'text'],
  report: [
    ...['compare'],
    ...[
      'options',
      'log',
      'figures',
      'thresholds',
      'compare',
      'search',
      'bottleneck',
      'cost',
      'operations',
      'workload',
      'statistics',
      'model',
    ],
    'text',
  ],
  run: [
    ...[
      'options',
      'preflight',
      'search',
      'cost',
      'cleanup',
      'clock',
      'bottleneck',
      'engine',
      'operations',
      'workload',
      's3',
      'http',
    ],
    ...['host', 'meter', 'replay', 'statistics', 'store', 'model', 'text', 'figures'],
  ],
  preflight: ['cleanup', 'clock', 'engine', 'operations', 'workload', 's3', 'text'],
  search: ['bottleneck', 'engine', 'operations', 'statistics'],
  store: ['aws', 'local-s3', 'options', 'workload', 'text'],
  cost: ['operations', 'workload', 's3'],
  replay: ['operations', 'workload'],
  cleanup: ['clock', 'engine', 'workload', 's3', 'statistics', 'model', 'text'],
  compare: ['figures', 'options', 'statistics', 'model', 'text'],
  options: ['local-s3', 'aws', 'clock', 'operations', 'workload', 's3', 'text'],
  merge: ['log', 'search', 'operations', 'statistics', 'model', 'text'],
  thresholds: ['figures', 'model', 'text'],
  figures: ['model', 'text'],
  bottleneck: ['text'],
  telemetry: ['figures', 'host', 'meter', 'model', 'text'],
  engine: ['clock', 'operations', 'workload', 's3', 'http', 'meter', 'host', 'model'],
  operations: ['workload', 's3', 'text'],
  s3: ['http', 'text'],
  aws: ['s3', 'text'],
  'local-s3': ['host', 'workload', 'text'],
  clock: ['host', 'text'],
  meter: ['model'],
  statistics: [],
  workload: ['statistics', 'text'],
  http: [],
  host: [],
  model: ['text'],
  log: ['figures', 'search', 'operations', 'model', 'text'],
  text: [],
});

/** The folders that a folder may use for types only. */
const TYPE_ARROWS = /** @type {Record<string, string[]>} */ ({
  cli: ['aws', 'engine', 'meter'],
  store: ['model'],
  report: ['model', 'merge', 'meter', 'series'],
  options: ['model'],
  run: ['model'],
  preflight: ['model'],
  search: ['model', 'clock'],
  cost: ['model'],
  replay: ['model'],
  cleanup: ['model'],
  bottleneck: ['model'],
  operations: ['model'],
  clock: ['model', 's3'],
  s3: ['model'],
  aws: ['model'],
  workload: ['model'],
  meter: ['model', 'clock', 's3'],
  host: ['model'],
});

const page = readFileSync(path.join(ROOT, 'docs/develop/architecture.md'), 'utf8');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).toSorted();

/**
 * The most lines of code that each room may have, without blank lines, comments and generated files. A change that needs
 * more raises the number in a commit of its own, which says why.
 */
const MAX_CODE_LINES = /** @type {Record<string, number>} */ ({
  aws: 300,
  bottleneck: 800,
  cleanup: 850,
  cli: 2950,
  clock: 350,
  compare: 800,
  cost: 150,
  engine: 1950,
  figures: 650,
  host: 450,
  http: 1150,
  'index.js': 110,
  'local-s3': 1650,
  log: 1300,
  merge: 900,
  meter: 600,
  model: 1650,
  operations: 1300,
  options: 2000,
  preflight: 1100,
  replay: 700,
  report: 3400,
  run: 2800,
  s3: 2100,
  search: 900,
  series: 300,
  statistics: 250,
  store: 700,
  telemetry: 500,
  text: 600,
  thresholds: 250,
  workload: 1300,
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
 * @returns {string} the name itself if it is in no folder of lib
 */
function folderOf(name) {
  return /^lib\/([^/]+)\//.exec(name)?.[1] ?? name;
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
  assert.deepEqual(byName.get('lib/s3/object-store.js')?.imports, [
    'lib/s3/s3-calls.js',
    'lib/s3/direct-store.js',
    'lib/s3/sdk-store.js',
    'lib/s3/edge-store.js',
    'lib/s3/public-store.js',
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

test('imports follow the arrows of the design', () => {
  const strange = files.flatMap(({ name, folder, imports }) =>
    imports
      .filter((imported) => {
        const target = folderOf(imported);
        return PROGRAMS.includes(name) ? target !== 'cli' : target !== folder && !ARROWS[folder]?.includes(target);
      })
      .map((imported) => `${name} → ${imported}`),
  );
  assert.deepEqual(strange, []);
});

test('types follow the arrows', () => {
  const strange = files.flatMap(({ name, folder, typeImports }) =>
    typeImports
      .filter((imported) => {
        const target = folderOf(imported);
        return target !== folder && !ARROWS[folder]?.includes(target) && !TYPE_ARROWS[folder]?.includes(target);
      })
      .map((imported) => `${name} → ${imported}`),
  );
  assert.deepEqual(strange, []);
});

test('the arrows between the folders of lib only point down', () => {
  const folders = [...new Set(files.map(({ folder }) => folder))].filter((folder) => folder !== '');
  assert.deepEqual(folders.toSorted(), Object.keys(ARROWS).toSorted());
  assert.equal(
    cycleIn(Object.keys(ARROWS), (folder) => [...ARROWS[folder], ...(TYPE_ARROWS[folder] ?? [])]),
    null,
  );
});

test('no room has more lines of code than it may have', () => {
  /** @type {Record<string, number>} */
  const lines = {};
  for (const name of list('lib', /\.(js|ts|css)$/).filter((file) => !file.endsWith('result.schema.d.ts'))) {
    const room = name.split('/')[1];
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
    .filter(({ folder }) => folder === 'operations')
    .flatMap(({ imports, typeImports }) => [...imports, ...typeImports])
    .filter((imported) => folderOf(imported) === 's3');
  const known = ['lib/s3/object-store.js', 'lib/s3/s3-calls.js', 'lib/s3/s3-error.js'];
  assert.deepEqual([...new Set(seen)].toSorted(), known);
});

test('only cli/ and the programs touch arguments, environment, exit status, signals and the terminal', () => {
  // A program that calls the library also has an environment. The processes that the SDK starts are ended by id.
  const free = [
    ...[...PROGRAMS, 'lib/local-s3/process.js', 'lib/telemetry/otlp-process.js', 'lib/run/run.js'],
    'lib/aws/credentials.js',
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
  // The embedded endpoint is a store and has its own clock. The SDK is told the error of its own clock. Functions
  // cannot be sent to another thread, so a worker thread makes its own random function.
  const free = ['lib/run/run.js', 'lib/clock/clock.js', 'lib/s3/sdk-store.js', 'lib/engine/worker-thread.js'];
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
  const early = ['telemetry', 'run', 'merge', 'compare', 'cleanup', 'engine', 'http'];
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
  assert.deepEqual([...new Set(users.map(({ folder }) => folder))], ['telemetry']);
  const { loaded } = loadedWith([...list('lib/cli'), PUBLIC]);
  assert.deepEqual(
    [...loaded].filter((name) => folderOf(name) === 'telemetry'),
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
