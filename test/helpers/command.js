import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parse } from 'dotenv';
import { main } from '../../lib/cli/main.js';
import { isResult, resultFrom } from './result-schema.js';

/**
 * @import { TestEndpoint } from './local-s3.js'
 * @import { Outcome } from './outcome.js'
 * @import { ChildProcess } from 'node:child_process'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} CommandOptions
 * @property {string} [dotEnv] content of the `.env` in the program's folder; without it there is no such file
 * @property {Record<string, string>} [env] in addition to PATH and HOME
 * @property {number | 'pipe'} [stdout] a file descriptor instead of a pipe
 */

export const PROGRAM = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));

/** A caller that was started in the project's folder. */
const CALLED_IN_CLONE = { argv: [process.execPath, PROGRAM], cwd: () => path.dirname(PROGRAM) };

/** A hanging program must fail its test rather than block the test run. */
const PATIENCE_MS = 300_000;

const SECRET_VARIABLES = ['S3_SECRET_KEY', 'S3_SESSION_TOKEN', 'EDGE_SECRET'];

/** The program as a child process in its own folder, as a user runs it. */
export class Command {
  #outputs = { stdout: '', stderr: '' };
  #startedAt = performance.now();
  #secrets;
  #hasEnded = false;
  /** @type {Promise<Outcome>} resolves when the process has ended and its outputs were read completely */
  outcome;

  /**
   * @param {ChildProcess} child
   * @param {string} folder in which it runs
   * @param {readonly string[]} secrets that must not appear in any output
   */
  constructor(child, folder, secrets) {
    this.child = child;
    this.folder = folder;
    this.#secrets = secrets;
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name]?.setEncoding('utf8').on('data', (text) => {
        this.#outputs[name] += text;
        child.emit('output');
      });
    }
    this.outcome = this.#end();
  }

  /**
   * @param {'stdout' | 'stderr'} name
   * @param {RegExp} pattern
   * @returns {Promise<RegExpExecArray>}
   */
  async shows(name, pattern) {
    for (;;) {
      const match = pattern.exec(this.#outputs[name]);
      if (match !== null) {
        return match;
      }
      assert.ok(!this.#hasEnded, `${name} never showed ${pattern}: ${JSON.stringify(this.#outputs, null, 2)}`);
      await Promise.race([once(this.child, 'output'), this.outcome]);
    }
  }

  /** Stops reading stdout, like `head` after its lines. */
  closeStdout() {
    /** @type {Readable} */ (this.child.stdout).destroy();
  }

  /** @returns {Promise<Outcome>} */
  async #end() {
    const [status] = await once(this.child, 'close');
    this.#hasEnded = true;
    const milliseconds = performance.now() - this.#startedAt;
    const texts = [...Object.values(this.#outputs), ...(await this.#files())];
    this.#lookForSecrets(texts);
    // Any stdout or file that is a result must match the schema.
    texts.filter(isResult).forEach(resultFrom);
    return { status, ...this.#outputs, milliseconds };
  }

  /** @returns {Promise<string[]>} contents of the files in its folder */
  async #files() {
    const names = (await readdir(this.folder)).filter((name) => name !== '.env');
    return Promise.all(names.map((name) => readFile(path.join(this.folder, name), 'utf8')));
  }

  /** @param {readonly string[]} texts */
  #lookForSecrets(texts) {
    for (const secret of this.#secrets) {
      const places = texts.filter((text) => text.includes(secret));
      assert.deepEqual(places, [], 'a secret shows up');
    }
  }
}

/**
 * @param {TestContext} t
 * @param {Record<string, string | Buffer>} files contents by name
 * @returns {Promise<string>} a new folder with these files, removed after the test
 */
export async function folderWith(t, files) {
  const folder = await makeFolder(files);
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** @param {Record<string, string | Buffer>} files contents by name */
async function makeFolder(files) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-'));
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(path.join(folder, name), content)));
  return folder;
}

/**
 * Starts the program in a new folder, which is removed after the test, without any of the machine's S3 variables.
 *
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<Command>}
 */
export async function startCommand(t, parameters, options) {
  return startProgram(t, process.execPath, [PROGRAM, ...parameters], options);
}

/**
 * Like startCommand(), for a program that starts ours.
 *
 * @param {TestContext} t
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<Command>}
 */
export async function startProgram(t, program, parameters, { dotEnv, env = {}, stdout = 'pipe' } = {}) {
  const folder = await makeFolder(dotEnv === undefined ? {} : { '.env': dotEnv });
  const { PATH, NODE_V8_COVERAGE } = process.env;
  const coverage = NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE };
  const child = spawn(program, parameters, {
    cwd: folder,
    env: { PATH, HOME: folder, ...coverage, ...env },
    stdio: ['ignore', stdout, 'pipe'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  const variables = { ...parse(dotEnv ?? ''), ...env };
  const secrets = SECRET_VARIABLES.map((name) => variables[name]).filter((secret) => secret);
  const command = new Command(child, folder, secrets);
  t.after(async () => {
    child.kill('SIGKILL');
    await command.outcome;
    await rm(folder, { recursive: true });
  });
  return command;
}

/**
 * @param {Command} command that started its own endpoint
 * @returns {Promise<number>} the endpoint's process ID
 */
export async function endpointOf({ child }) {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  for (const id of children.trim().split(' ')) {
    const words = await readFile(`/proc/${id}/cmdline`, 'utf8');
    if (words.includes('local-s3/process.js')) {
      return Number(id);
    }
  }
  throw new Error(`expected a process of the endpoint among the children of ${child.pid}, got "${children}"`);
}

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<Outcome>}
 */
export async function runCommand(t, parameters, options) {
  const { outcome } = await startCommand(t, parameters, options);
  return outcome;
}

/**
 * Runs the program in this process, which takes milliseconds: for errors that it reports before it looks for a store.
 *
 * @param {readonly string[]} parameters
 * @param {Record<string, string>} env
 */
export async function runInProcess(parameters, env, stdin = Readable.from([])) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const streams = Object.assign(new EventEmitter(), {
    stdin,
    stdout,
    stderr,
    ...CALLED_IN_CLONE,
  });
  const texts = [stdout, stderr].map((stream) => stream.setEncoding('utf8').toArray());
  // The program sets an environment variable.
  const status = await main(parameters, { ...env }, /** @type {any} */ (streams));
  [stdout, stderr].forEach((stream) => stream.end());
  const [out, err] = (await Promise.all(texts)).map((parts) => parts.join(''));
  return { status, stdout: out, stderr: err };
}

/**
 * @param {TestEndpoint} endpoint
 * @param {Record<string, string | number>} [overrides]
 * @returns {string} a `.env` for the endpoint
 */
export function dotEnvOf({ buckets, hostname, port, tls, credentials, region }, overrides = {}) {
  const variables = {
    S3_BUCKET: buckets.join(','),
    S3_HOSTNAME: hostname,
    S3_PORT: port,
    S3_USE_SSL: tls === null ? 0 : 1,
    S3_REGION: region,
    S3_ACCESS_KEY: credentials.accessKeyId,
    S3_SECRET_KEY: credentials.secretAccessKey,
    ...overrides,
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/**
 * @param {TestEndpoint} endpoint
 * @returns {Promise<string[]>} the keys in all its buckets
 */
export async function keysIn(endpoint) {
  const keys = await Promise.all(endpoint.buckets.map((bucket) => endpoint.list(bucket)));
  return keys.flat();
}
