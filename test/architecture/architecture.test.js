import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PROGRAMS = ['r2-benchmark.js', 'peak-performance.js'];

/** Which folders of lib a folder may import from, beside itself: the arrows of the design. They point down only. */
const ARROWS = /** @type {Record<string, string[]>} */ ({
  cli: ['calibration', 'run', 'stages', 'workload', 'meter', 'log', 'hosts', 'report', 'local-s3'],
  run: ['analysis', 'engine', 'stages', 's3', 'workload', 'meter', 'log'],
  engine: ['stages', 's3', 'workload', 'meter'],
  stages: ['s3'],
  report: ['analysis', 'log'],
  hosts: ['log'],
  analysis: ['log'],
  calibration: ['log'],
  'local-s3': ['log', 'meter', 'workload'],
  s3: [],
  workload: [],
  meter: [],
  log: [],
});

/** What the folders may not even know by its type. */
const NOT_EVEN_TYPES = { s3: ['meter', 'engine', 'run', 'cli'], report: ['engine', 's3'], hosts: ['engine', 's3'] };

/** Above so many lines a file has a reason. */
const MOST_LINES = 200;

const LONG_FILES = /** @type {Record<string, string>} */ ({
  'lib/cli/options.js': 'every option is told in one place: the table, and what a command line is after it is read',
  'lib/log/log-line.js': 'every kind of line is told in one place, for writing and reading alike',
  'lib/s3/direct-store.js':
    'a connection is at the same time the handler that undici calls, which saves an object a request',
  'lib/s3/keep-alive-agent.js':
    'the one place that opens connections: waiting, TLS, counting and closing share their state',
  'lib/s3/s3-error.js':
    'the one table of what is transient, fatal or an operation’s own, for answers and for connections',
});

/** What is tested through what uses it, and where. */
const TESTED_BY = /** @type {Record<string, string>} */ ({
  'lib/s3/opening-errors.js': 'test/s3/keep-alive-agent.test.js',
  'lib/workload/body-verifier.js': 'test/workload/payload.test.js',
  'lib/analysis/verdict-client.js': 'test/analysis/verdict.test.js',
  'lib/analysis/verdict-plateau.js': 'test/analysis/verdict.test.js',
  'lib/analysis/verdict-throttling.js': 'test/analysis/verdict.test.js',
  'lib/analysis/verdict-phrases.js': 'test/analysis/verdict.test.js',
  'lib/analysis/verdict-words.js': 'test/analysis/verdict.test.js',
  'lib/analysis/lack.js': 'test/analysis/verdict.test.js',
  'lib/log/figures.js': 'test/calibration/calibration-table.test.js',
  'lib/cli/calibrate-client.js': 'test/cli/calibrate.test.js',
  'lib/cli/calibrate-endpoint.js': 'test/cli/calibrate.test.js',
  'lib/cli/calibrate-stages.js': 'test/cli/calibrate.test.js',
  'lib/cli/console-observer.js': 'test/faults/bodies.test.js',
  'lib/cli/exit-status.js': 'test/cli/stop-request.test.js',
  'lib/cli/hostname.js': 'test/cli/environment.test.js',
  'lib/cli/heap.js': 'test/cli/benchmark.test.js',
  'lib/cli/local-endpoint.js': 'test/cli/options.test.js',
  'lib/cli/option-conflicts.js': 'test/cli/options.test.js',
  'lib/cli/package-version.js': 'test/cli/options.test.js',
  'lib/cli/peak-options.js': 'test/cli/peak.test.js',
  'lib/cli/peak-output.js': 'test/cli/peak.test.js',
  'lib/cli/target.js': 'test/cli/benchmark.test.js',
  'lib/cli/usage-error.js': 'test/cli/report-error.test.js',
  'lib/cli/option-values.js': 'test/cli/options.test.js',
  'lib/cli/values.js': 'test/cli/options.test.js',
  'lib/cli/variable-values.js': 'test/cli/environment.test.js',
  'lib/engine/core-worker.js': 'test/engine/remote-core.test.js',
  'lib/engine/claim-objects.js': 'test/engine/run-stage.test.js',
  'lib/engine/merge-outcomes.js': 'test/engine/cores.test.js',
  'lib/engine/operation-ends.js': 'test/engine/run-stage.test.js',
  'lib/meter/stage-counts.js': 'test/meter/stage-meter.test.js',
  'lib/meter/stage-latencies.js': 'test/meter/stage-meter.test.js',
  'lib/engine/core.js': 'test/engine/cores.test.js',
  'lib/hosts/aggregate-stage.js': 'test/hosts/known-truth.test.js',
  'lib/hosts/finding.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/histogram-parts.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/host-run.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/hosts-of.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/mixed-runs.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/peak-finder.js': 'test/hosts/known-truth.test.js',
  'lib/hosts/second-pool.js': 'test/hosts/second-series.test.js',
  'lib/hosts/stage-counts.js': 'test/hosts/known-truth.test.js',
  'lib/hosts/stage-log.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/stage-views.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/stage-warnings.js': 'test/hosts/host-logs.test.js',
  'lib/hosts/sum-seconds.js': 'test/hosts/known-truth.test.js',
  'lib/hosts/time-series.js': 'test/report/peak-csv.test.js',
  'lib/hosts/wording.js': 'test/hosts/host-logs.test.js',
  'lib/local-s3/answer.js': 'test/local-s3/store-server.test.js',
  'lib/local-s3/endpoint.js': 'test/local-s3/start.test.js',
  'lib/local-s3/fault-values.js': 'test/local-s3/faults.test.js',
  'lib/local-s3/list-objects.js': 'test/local-s3/store-server.test.js',
  'lib/local-s3/node-sha256.js': 'test/local-s3/signature-check.test.js',
  'lib/local-s3/null-answers.js': 'test/local-s3/null-server.test.js',
  'lib/local-s3/operations.js': 'test/local-s3/store-server.test.js',
  'lib/local-s3/percent-encoding.js': 'test/local-s3/router.test.js',
  'lib/local-s3/receive-body.js': 'test/local-s3/garbage.test.js',
  'lib/local-s3/s3-error.js': 'test/local-s3/store-server.test.js',
  'lib/local-s3/tally.js': 'test/local-s3/store-server.test.js',
  'lib/log/notation.js': 'test/log/log-line.test.js',
  'lib/report/peak-hosts.js': 'test/report/peak-blocks.test.js',
  'lib/report/peak-stage.js': 'test/report/peak-blocks.test.js',
  'lib/report/peak-times.js': 'test/report/peak-blocks.test.js',
  'lib/run/absent-object.js': 'test/run/preflight.test.js',
  'lib/run/ask-store.js': 'test/run/preflight.test.js',
  'lib/run/bucket-access.js': 'test/run/clean-up-run.test.js',
  'lib/run/bucket-preflight.js': 'test/run/preflight.test.js',
  'lib/run/in-parallel.js': 'test/run/cleanup.test.js',
  'lib/run/key-ranges.js': 'test/run/cleanup.test.js',
  'lib/run/object-requests.js': 'test/run/preflight.test.js',
  'lib/run/preflight-findings.js': 'test/run/preflight.test.js',
  'lib/run/search-result.js': 'test/run/find-peak.test.js',
  'lib/run/search-stage.js': 'test/run/find-peak.test.js',
  'lib/run/run-tally.js': 'test/run/list-runs.test.js',
  'lib/cli/cost-limit.js': 'test/cli/find-peak.test.js',
  'lib/cli/checks.js': 'test/cli/refusals.test.js',
  'lib/cli/prepare.js': 'test/cli/refusals.test.js',
});

/**
 * @typedef {object} SourceFile
 * @property {string} name from the root of the project
 * @property {string} folder of lib; '' for a program
 * @property {string} text
 * @property {string} code the text without comments
 * @property {string[]} imports names of the project's files, however they are imported: a worker's, too
 * @property {string[]} packages names of packages, without those of Node
 * @property {string[]} typeImports files that are named in a type
 */

const files = [...PROGRAMS, ...list('lib')].map(readSource);
const byName = new Map(files.map((file) => [file.name, file]));

/** @param {string} folder */
function list(folder) {
  const names = /** @type {string[]} */ (readdirSync(path.join(ROOT, folder), { recursive: true }));
  return names.filter((name) => name.endsWith('.js')).map((name) => path.posix.join(folder, name));
}

/**
 * @param {string} name
 * @returns {SourceFile}
 */
function readSource(name) {
  const text = readFileSync(path.join(ROOT, name), 'utf8');
  const code = text.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
  const specifiers = [
    ...matches(code, /^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'/gm),
    ...matches(code, /^import '([^']+)'/gm),
    ...matches(code, /\bimport\('([^']+)'\)/g),
    ...matches(code, /\bnew URL\('([^']+\.js)', import\.meta\.url\)/g),
  ];
  const inTypes = [
    ...matches(text, /^\s*\/?\*.*\bimport\('([^']+)'\)/gm),
    ...matches(text, /^ \* @import .* from '([^']+)'/gm),
  ];
  return {
    name,
    folder: /^lib\/([^/]+)\//.exec(name)?.[1] ?? '',
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

/** @param {string} name */
function folderOf(name) {
  return byName.get(name)?.folder ?? name;
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
  assert.deepEqual(byName.get('lib/s3/object-store.js')?.imports, ['lib/s3/sdk-store.js', 'lib/s3/direct-store.js']);
});

test('imports follow the arrows of the design', () => {
  const strange = files.flatMap(({ name, folder, imports }) =>
    imports
      .filter((imported) => {
        const target = folderOf(imported);
        return folder === '' ? target !== 'cli' : target !== folder && !ARROWS[folder]?.includes(target);
      })
      .map((imported) => `${name} → ${imported}`),
  );
  assert.deepEqual(strange, []);
});

test('the arrows between the folders of lib point down only', () => {
  const folders = [...new Set(files.map(({ folder }) => folder))].filter((folder) => folder !== '');
  assert.deepEqual(folders.toSorted(), Object.keys(ARROWS).toSorted());
  assert.equal(
    cycleIn(Object.keys(ARROWS), (folder) => ARROWS[folder]),
    null,
  );
});

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
   * @param {readonly string[]} way to it
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

for (const [folder, others] of Object.entries(NOT_EVEN_TYPES)) {
  test(`${folder}/ does not even know the types of ${others.join('/, ')}/`, () => {
    const strange = files
      .filter((file) => file.folder === folder)
      .flatMap(({ name, imports, typeImports }) =>
        [...imports, ...typeImports]
          .filter((imported) => others.includes(folderOf(imported)))
          .map((imported) => `${name} → ${imported}`),
      );
    assert.deepEqual(strange, []);
  });
}

test('stages/ see the interface of a store, and its errors, but no implementation', () => {
  const seen = files
    .filter(({ folder }) => folder === 'stages')
    .flatMap(({ imports, typeImports }) => [...imports, ...typeImports])
    .filter((imported) => folderOf(imported) === 's3');
  const known = ['lib/s3/object-store.js', 'lib/s3/s3-error.js'];
  assert.deepEqual([...new Set(seen)].toSorted(), known);
});

test('only cli/ and the programs touch arguments, environment, exit status, signals and the terminal', () => {
  const free = [...PROGRAMS, 'lib/local-s3/process.js'];
  const strange = files
    .filter(({ name, folder }) => folder !== 'cli' && !free.includes(name))
    .filter(({ code }) =>
      /\bprocess\s*\.\s*(argv|env|exit|exitCode|kill|on|once|stdin|stdout|stderr)\b|from 'node:process'|\bconsole\./.test(
        code,
      ),
    );
  assert.deepEqual(
    strange.map(({ name }) => name),
    [],
  );
});

test('chance comes in through cli/ alone, and time through it and the one clock', () => {
  // The embedded endpoint is a store: it has a clock of its own. The SDK is told how far its own clock is off. No
  // function can be sent to another thread: a core that has its own takes its chance there.
  const free = ['lib/meter/clock.js', 'lib/s3/sdk-client.js', 'lib/engine/core-worker.js'];
  const strange = files
    .filter(({ name, folder }) => folder !== 'cli' && folder !== 'local-s3' && !free.includes(name))
    .filter(({ code }) => /Math\.random|Date\.now|performance\.now|new Date\(\)/.test(code));
  assert.deepEqual(
    strange.map(({ name }) => name),
    [],
  );
});

test('neither the SDK nor the embedded endpoint is loaded before it is used', () => {
  /** @type {Set<string>} */
  const loaded = new Set();
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
  load('r2-benchmark.js');
  assert.ok(loaded.has('lib/run/benchmark-run.js'));
  assert.ok(loaded.has('lib/local-s3/start.js'), 'which starts it in a process of its own');
  assert.ok(!loaded.has('lib/local-s3/endpoint.js'));
  assert.deepEqual(
    [...packages].filter((name) => /^@aws-sdk|^@smithy/.test(name)),
    [],
  );
});

test(`a file of more than ${MOST_LINES} lines has a reason`, () => {
  const long = files.filter(({ text }) => text.split('\n').length - 1 > MOST_LINES).map(({ name }) => name);
  assert.deepEqual(
    long.filter((name) => LONG_FILES[name] === undefined),
    [],
    'too long',
  );
  assert.deepEqual(
    Object.keys(LONG_FILES).filter((name) => !long.includes(name)),
    [],
    'needs no reason any more',
  );
});

test('every dependency is imported and named in the README, and nothing else is imported', (t) => {
  const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const imported = new Set(files.flatMap(({ packages }) => packages));
  assert.deepEqual([...imported].toSorted(), Object.keys(dependencies).toSorted());
  const readme = path.join(ROOT, 'README.md');
  if (!existsSync(readme)) {
    t.diagnostic('there is no README yet');
    return;
  }
  const text = readFileSync(readme, 'utf8');
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => !text.includes(name)),
    [],
    'not named in the README',
  );
});

test('every file has a test of its own, or is listed with the one that tests it, or holds types alone', () => {
  const untested = files
    .filter(({ folder, code }) => folder !== '' && !/^\s*export \{\};\s*$/.test(code))
    .map(({ name }) => name)
    .filter((name) => !existsSync(path.join(ROOT, TESTED_BY[name] ?? testOf(name))));
  assert.deepEqual(untested, []);
  const stale = Object.keys(TESTED_BY).filter((name) => !byName.has(name) || existsSync(path.join(ROOT, testOf(name))));
  assert.deepEqual(stale, [], 'listed, although there is no such file, or it has a test of its own');
});

/** @param {string} name of a file of lib */
function testOf(name) {
  return name.replace(/^lib/, 'test').replace(/\.js$/, '.test.js');
}
