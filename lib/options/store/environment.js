import { parse } from 'dotenv';
import { isIP } from 'node:net';
import { andMore } from '../../text/figures.js';
import { didYouMean } from '../../text/nearest-name.js';
import { quote } from '../../text/quote.js';
import { keepSecrets } from '../../text/redact.js';
import { shellWord } from '../../text/shell-words.js';
import { readTextFile } from '../../text/text-file.js';
import { OPTIONS } from '../table.js';
import { refuseIfAny } from '../usage-error.js';
import {
  NO_PROXY,
  OF_ENVIRONMENT,
  bucketNames,
  edgeUrl,
  port,
  proxyUrl,
  publicUrl,
  region,
  secret,
  storeAddress,
  yesOrNo,
} from '../values.js';

/**
 * @import { ProxyConfig } from '../../result/config.js'
 * @import { EndpointUrl } from '../values.js'
 */

/**
 * @typedef {object} Variable
 * @property {string} name
 * @property {(text: string) => any} read throws a RangeError that states what was expected
 * @property {string} [expected] for a required variable: what it should hold
 * @property {any} [fallback] value of an absent or empty variable
 *
 * @typedef {keyof typeof VARIABLES} VariableKey
 */

/** The file with the variables, unless the command line names another. */
export const DEFAULT_FILE = OPTIONS.envFile.default;

const MAX_FILE_BYTES = 1024 ** 2;

const QUOTED = /^(["'`]).*\1$/s;
const QUOTED_IN_FILE = /=[ \t]*(["'`])(?:\\\1|(?!\1)[^])*\1/g;

/** A line that dotenv reads, a comment or a blank line. */
const USUAL_LINE = /^\s*(#|$|(export\s+)?[\w.-]+(\s*=|:\s))/;

const VARIABLES = Object.freeze(
  /** @satisfies {Record<string, Variable>} */ ({
    buckets: {
      name: 'S3_BUCKET',
      read: bucketNames,
      expected: 'one or more bucket names, comma-separated, or --bucket',
    },
    hostname: {
      name: 'S3_HOSTNAME',
      read: storeAddress,
      expected: 'a host such as ACCOUNT.r2.cloudflarestorage.com, or --endpoint-url',
    },
    accessKeyId: { name: 'S3_ACCESS_KEY', read: secret, expected: 'an access key id' },
    secretAccessKey: { name: 'S3_SECRET_KEY', read: secret, expected: 'a secret access key' },
    sessionToken: { name: 'S3_SESSION_TOKEN', read: secret },
    useTls: { name: 'S3_USE_SSL', read: yesOrNo, fallback: true },
    port: { name: 'S3_PORT', read: port },
    region: { name: 'S3_REGION', read: region, fallback: 'auto' },
    edgeUrl: { name: 'EDGE_URL', read: edgeUrl, expected: 'the address that npx wrangler deploy prints' },
    publicUrl: {
      name: 'PUBLIC_URL',
      read: publicUrl,
      expected: 'the address of the custom domain, such as https://cdn.example.com, or --public-url',
    },
    edgeSecret: {
      name: 'EDGE_SECRET',
      read: secret,
      expected: 'the value passed to npx wrangler secret put EDGE_SECRET',
    },
  }),
);

const NAMES = Object.values(VARIABLES).map(({ name }) => name);

const KNOWN_NAME = new RegExp(`^.*?(?:${NAMES.join('|')})`);

const ALL_KEYS = /** @type {VariableKey[]} */ (Object.keys(VARIABLES));

/** @type {readonly VariableKey[]} */
const SECRET_KEYS = ['secretAccessKey', 'sessionToken', 'edgeSecret'];

/** The S3_… and EDGE_… variables of the environment and of a file; the environment takes precedence. */
export class Variables {
  #env;
  #inFile;
  #file;
  /** Why the file could not be read. */
  #fileProblems;
  /** Possible reasons why a variable is missing. @type {string[]} */
  warnings;
  #exists;

  /**
   * @param {Readonly<Record<string, string | undefined>>} env
   * @param {string} file
   */
  constructor(env, file) {
    const { text, fileProblems, exists } = readFileOf(file);
    this.#env = env;
    this.#file = file;
    this.#inFile = parse(text);
    this.#fileProblems = fileProblems;
    this.#exists = exists;
    this.warnings = [...strangeLines(file, text), ...unknownNames(Object.keys({ ...this.#inFile, ...env }))];
    const secrets = SECRET_KEYS.map((key) => this.#textOf(key));
    keepSecrets({ secrets, ids: [this.#textOf('accessKeyId')] });
  }

  /** Whether one of the variables is set. @param {...VariableKey} keys */
  has(...keys) {
    return keys.some((key) => this.#textOf(key) !== '');
  }

  /**
   * @param {readonly VariableKey[]} keys
   * @returns {{ values: Record<string, any>, problems: string[], isLacking: boolean }} `isLacking`: whether a required
   *   variable is missing
   */
  read(keys) {
    /** @type {Record<string, any>} */
    const values = {};
    /** @type {string[]} */
    const problems = [];
    let isLacking = false;
    for (const key of ALL_KEYS.filter((each) => keys.includes(each))) {
      const { name, read, expected, fallback } = /** @type {Variable} */ (VARIABLES[key]);
      const given = this.#textOf(key);
      if (QUOTED.test(given)) {
        problems.push(`${name}: expected a value without quotes around it, which docker --env-file does not remove`);
      } else if (given !== '') {
        values[key] = attempt(problems, name, () => read(given)) ?? undefined;
      } else if (expected !== undefined) {
        isLacking = true;
        problems.push(`${name} is not set: expected ${expected}`);
      } else {
        values[key] = fallback;
      }
    }
    return { values, problems, isLacking };
  }

  /**
   * @param {readonly string[]} problems
   * @param {boolean} isLacking whether a required variable is missing
   * @param {Invocation} [invocation]
   * @throws {UsageError} if there are problems with the values or the file
   */
  refuse(problems, isLacking, invocation = FROM_CLONE) {
    // The default file is optional if the environment has everything; an explicitly named file must exist.
    const isNeeded = isLacking || this.#file !== DEFAULT_FILE;
    const all = [...(isNeeded ? this.#fileProblems : []), ...(isLacking ? this.warnings : []), ...problems];
    refuseIfAny(all, isLacking ? hintFor(this.#file, this.#exists, invocation) : '');
  }

  /** Variables whose environment value differs from the file. Omits secrets. @param {readonly VariableKey[]} keys */
  overrides(keys) {
    const open = keys.map((key) => VARIABLES[key]).filter(({ read }) => read !== secret);
    /** @type {Record<string, string>} */
    const overrides = {};
    for (const { name } of open) {
      const given = this.#env[name];
      if (given !== undefined && given !== (this.#inFile[name] ?? '')) {
        overrides[name] = given;
      }
    }
    return overrides;
  }

  /** @param {VariableKey} key */
  #textOf(key) {
    const { name } = VARIABLES[key];
    return (this.#env[name] ?? this.#inFile[name] ?? '').trim();
  }
}

/**
 * @template Value
 * @param {string[]} problems to which a problem is added
 * @param {string} name of the setting
 * @param {() => Value} read throws an Error that states what was expected
 * @returns {Value | null} null if it threw
 */
export function attempt(problems, name, read) {
  try {
    return read();
  } catch (error) {
    problems.push(`${name}: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}

/**
 * @param {string} file
 * @returns {{ text: string, fileProblems: string[], exists: boolean }}
 */
function readFileOf(file) {
  try {
    return { text: readTextFile(file, MAX_FILE_BYTES), fileProblems: [], exists: true };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const exists = code !== 'ENOENT';
    return { text: '', fileProblems: [`${file}: ${exists ? message : 'there is no such file'}`], exists };
  }
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {string[]} at most one warning
 */
function strangeLines(file, text) {
  const withoutTexts = text.replace(QUOTED_IN_FILE, (value) => `=${value.replace(/[^\r\n]+/g, '')}`);
  const lines = withoutTexts.split(/\r\n?|\n/);
  const strange = lines.flatMap((line, index) => (USUAL_LINE.test(line) ? [] : [index]));
  if (strange.length === 0) {
    return [];
  }
  // What follows the name may be a secret.
  const [start] = KNOWN_NAME.exec(lines[strange[0]]) ?? [];
  const got = start === undefined ? '' : `, got ${quote(`${start}…`)}`;
  return [`${file}:${strange[0] + 1}: expected NAME=value${got}${andMore(strange.length)}`];
}

/** @param {readonly string[]} names */
function unknownNames(names) {
  const unknown = names.filter((name) => name.startsWith('S3_') && !NAMES.includes(name));
  return unknown.map((name) => `${name} is not a variable of this tool${didYouMean(name, NAMES)}`);
}

/**
 * How the user starts the programs: the start of each command that is printed for copying.
 *
 * @typedef {object} Invocation
 * @property {string} benchmark shell command, such as `node r2-benchmark.js`
 * @property {string} peak shell command, such as `node peak-performance.js`
 * @property {string} envExample path of .env.example, quoted for a shell
 */

/** For a clone, in its own folder. @type {Invocation} */
export const FROM_CLONE = Object.freeze({
  benchmark: 'node r2-benchmark.js',
  peak: 'node peak-performance.js',
  envExample: '.env.example',
});

/**
 * @param {string} file in which variables are missing
 * @param {boolean} exists
 * @param {Invocation} invocation
 * @returns {string} what to do next
 */
function hintFor(file, exists, { benchmark, envExample }) {
  const name = file === DEFAULT_FILE ? '' : ` ${shellWord(file)}`;
  const way = exists
    ? `Fill in ${file} as ${envExample} shows`
    : `${benchmark} init${name} writes ${file} from .env.example: fill it in`;
  return `${way}, or try the tool without a store: --local`;
}

/**
 * @param {string} address setting that names the host, its port and the scheme
 * @returns names of the settings in messages
 */
export function settingsOfUrl(address) {
  return { hostname: address, port: address, tls: address, plainHttp: 'a URL with http://' };
}

/** Variables that name a proxy, by precedence. HTTP_PROXY is excluded: web servers may set it from a request header. */
const PROXY_VARIABLES = Object.freeze({
  https: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  http: ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
});

/** This host, which is never reached through a proxy. */
const LOOPBACK = /(^|\.)localhost$|^127(\.\d+){3}$|^::1$/;

/** @typedef {{ proxy: ProxyConfig, from: string }} ChosenProxy `from` names its source */

/**
 * A proxy changes what is measured, so a proxy from the environment is used only on request, and never ignored
 * silently.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {Pick<EndpointUrl, 'hostname' | 'port' | 'useTls'> | null} address null if it is not known
 * @param {ProxyConfig | typeof OF_ENVIRONMENT | typeof NO_PROXY | undefined} choice
 * @param {string[]} problems to which a problem is added
 * @returns {ChosenProxy | null} null for a direct connection
 */
export function chooseProxy(env, address, choice, problems) {
  if (address === null || choice === NO_PROXY) {
    return null;
  }
  if (choice !== undefined && choice !== OF_ENVIRONMENT) {
    return { proxy: choice, from: '--proxy' };
  }
  const name = PROXY_VARIABLES[address.useTls ? 'https' : 'http'].find((each) => (env[each] ?? '').trim() !== '');
  if (name === undefined) {
    if (choice !== undefined) {
      problems.push(`--proxy: expected ${address.useTls ? 'HTTPS_PROXY' : 'HTTP_PROXY'} or ALL_PROXY to be set`);
    }
    return null;
  }
  if (isExempt(address, env.no_proxy ?? env.NO_PROXY ?? '')) {
    return null;
  }
  if (choice === undefined) {
    problems.push(
      `${name} names a proxy, which would be part of the measurement: pass --proxy env to use it, or --proxy none to connect directly`,
    );
    return null;
  }
  const proxy = attempt(problems, name, () => proxyUrl(String(env[name]).trim()));
  return proxy && { proxy, from: name };
}

/** @param {ChosenProxy | null} chosen @returns {string[]} */
export function proxyNotices(chosen) {
  return chosen === null
    ? []
    : [
        `All connections use the proxy ${chosen.proxy.hostname}:${chosen.proxy.port} of ${chosen.from}, which is part of the measurement`,
      ];
}

/**
 * @param {Pick<EndpointUrl, 'hostname' | 'port'>} address
 * @param {string} list of NO_PROXY: name suffixes or addresses, each with an optional port
 * @returns {boolean} whether to connect to it directly
 */
export function isExempt({ hostname, port: number }, list) {
  const host = hostname.toLowerCase();
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  return (
    LOOPBACK.test(host) ||
    entries.some((entry) => {
      // An IPv6 address can have a port only if it is in brackets.
      const [, full = entry, digits] = /^(\[.*\]|[^:]*):([0-9]+)$/.exec(entry) ?? [];
      const name = full.replace(/^\[|\]$|^\*?\./g, '');
      const isNamed = name === '*' || host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
      return isNamed && (digits === undefined || Number(digits) === number);
    })
  );
}
