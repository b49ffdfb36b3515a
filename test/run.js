import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Runs the quick tests. The files of a folder share a process, because starting one and loading the modules costs more CPU
// than most files' tests do. A file that changes what its process shares, such as its timers, runs in its own process.
// Properties are tried with a tenth of their cases, unless --all-cases is given or PROPERTY_CASES is 'all'.

const TESTS = fileURLToPath(new URL('.', import.meta.url));
const CASES = new URL('helpers/cases.js', import.meta.url).href;
const CHANGES_PROCESS = /\bmock\.(?:timers|method)\b|\bprocess\.env\.\w+ =|\bObject\.assign\(process\.env\b/;

const entries = mkdtempSync(path.join(tmpdir(), 'r2-benchmark-tests-'));
try {
  process.exitCode = await run(foldersIn(TESTS).flatMap(entriesOf));
} finally {
  rmSync(entries, { recursive: true });
}

/** @param {string} folder */
function foldersIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/**
 * @param {string} folder
 * @returns {string[]} modules, each of which imports what is to run in one process
 */
function entriesOf(folder) {
  const files = testsIn(path.join(TESTS, folder));
  const alone = files.filter((file) => CHANGES_PROCESS.test(readFileSync(file, 'utf8')));
  const together = files.filter((file) => !alone.includes(file));
  return [together, ...alone.map((file) => [file])]
    .filter((group) => group.length > 0)
    .map((group, number) => entryOf(`${folder}-${number}`, group));
}

/**
 * @param {string} name
 * @param {readonly string[]} files
 */
function entryOf(name, files) {
  const entry = path.join(entries, `${name}.mjs`);
  const modules = [CASES, ...files.map((file) => pathToFileURL(file).href)];
  writeFileSync(entry, modules.map((url) => `import '${url}';\n`).join(''));
  return entry;
}

/** @param {string} folder */
function testsIn(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => path.join(folder, name));
}

/**
 * @param {readonly string[]} modules
 * @returns {Promise<number>} the exit status
 */
async function run(modules) {
  const parameters = ['--test', '--test-reporter=spec', '--test-concurrency=4', ...modules];
  const cases = process.argv.includes('--all-cases') ? 'all' : (process.env['PROPERTY_CASES'] ?? 'few');
  const env = { ...process.env, PROPERTY_CASES: cases };
  const tests = spawn(process.execPath, parameters, { stdio: 'inherit', env });
  return new Promise((resolve) => tests.on('exit', (code) => resolve(code ?? 1)));
}
