import { readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { UsageError } from './usage-error.js';
import { bucketNames, hostname, port, region, secret, yesOrNo } from './values.js';
import { FROM_CLONE, shellWord } from './invocation.js';

/**
 * @import { Invocation } from './invocation.js'
 * @import { StoreConfig } from '../model/run-config.js'
 */

/**
 * @typedef {object} Variable
 * @property {string} name
 * @property {(text: string) => any} read throws a RangeError that says what was expected
 * @property {string} [expected] set where the variable is required: what it should hold
 * @property {any} [fallback] where the variable is absent or empty
 */

/** The file of the variables, unless the command line names another. */
export const DEFAULT_FILE = '.env';

/** @type {Readonly<Record<string, Variable>>} */
const VARIABLES = {
  buckets: { name: 'S3_BUCKET', read: bucketNames, expected: 'one or more bucket names, comma-separated' },
  hostname: { name: 'S3_HOSTNAME', read: hostname, expected: 'a host such as ACCOUNT.r2.cloudflarestorage.com' },
  accessKeyId: { name: 'S3_ACCESS_KEY', read: secret, expected: 'an access key id' },
  secretAccessKey: { name: 'S3_SECRET_KEY', read: secret, expected: 'a secret access key' },
  sessionToken: { name: 'S3_SESSION_TOKEN', read: secret },
  useTls: { name: 'S3_USE_SSL', read: yesOrNo, fallback: true },
  port: { name: 'S3_PORT', read: port },
  region: { name: 'S3_REGION', read: region, fallback: 'auto' },
};

/**
 * Reads the store and its credentials from the environment and a file of variables; the environment goes first.
 *
 * @param {Record<string, string | undefined>} env
 * @param {string} file
 * @param {Invocation} [invocation]
 * @returns {{ store: StoreConfig, warnings: string[], overrides: Record<string, string> }}
 *   overrides: what the environment sets differently from the file, without secrets
 * @throws {UsageError} with every problem at once
 */
export function readStoreConfig(env, file, invocation = FROM_CLONE) {
  const { variables, fileProblem, isThere } = readVariables(file);
  const { values, problems, isLacking } = readValues({ ...variables, ...definedOnly(env) });
  // Without the usual file, the environment alone will do; a file that was named must exist.
  if (fileProblem !== null && (isLacking || file !== DEFAULT_FILE)) {
    problems.unshift(fileProblem);
  }
  if (problems.length > 0) {
    throw new UsageError(problems, isLacking ? hintFor(file, isThere, invocation) : '');
  }
  const { accessKeyId, secretAccessKey, sessionToken, useTls } = values;
  const buckets = [...new Set(values.buckets)];
  return {
    store: {
      buckets,
      hostname: values.hostname,
      region: values.region,
      useTls,
      port: values.port ?? (useTls ? 443 : 80),
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    },
    warnings:
      buckets.length < values.buckets.length ? ['S3_BUCKET names a bucket more than once: it is used once'] : [],
    overrides: overridesOf(env, variables),
  };
}

/**
 * Reads whether requests would go over TLS, for which no other variable is needed.
 *
 * @param {Record<string, string | undefined>} env
 * @param {string} file
 * @returns {boolean}
 * @throws {UsageError}
 */
export function readUseTls(env, file) {
  const { variables, fileProblem } = readVariables(file);
  if (fileProblem !== null && file !== DEFAULT_FILE) {
    throw new UsageError([fileProblem]);
  }
  const { name, read, fallback } = VARIABLES.useTls;
  const given = { ...variables, ...definedOnly(env) }[name]?.trim() ?? '';
  try {
    return given === '' ? fallback : read(given);
  } catch (error) {
    throw new UsageError([`${name}: ${/** @type {Error} */ (error).message}`]);
  }
}

/**
 * @param {string} file
 * @returns {{ variables: Record<string, string>, fileProblem: string | null, isThere: boolean }}
 */
function readVariables(file) {
  try {
    return { variables: parse(readFileSync(file)), fileProblem: null, isThere: true };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const isThere = code !== 'ENOENT';
    return { variables: {}, fileProblem: `${file}: ${isThere ? message : 'there is no such file'}`, isThere };
  }
}

/**
 * @param {string} file in which variables are missing
 * @param {boolean} isThere
 * @param {Invocation} invocation
 * @returns {string} how to get on
 */
function hintFor(file, isThere, { benchmark, envExample }) {
  const name = file === DEFAULT_FILE ? '' : ` ${shellWord(file)}`;
  const way = isThere
    ? `Fill in ${file} as ${envExample} shows`
    : `${benchmark} --init${name} writes ${file} from .env.example: fill it in`;
  return `${way}, or try the tool without a store: --local`;
}

/** @param {Record<string, string | undefined>} env */
function definedOnly(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/**
 * @param {Record<string, string | undefined>} env
 * @param {Record<string, string>} variables of the file
 */
function overridesOf(env, variables) {
  const open = Object.values(VARIABLES).filter(({ read }) => read !== secret);
  /** @type {Record<string, string>} */
  const overrides = {};
  for (const { name } of open) {
    const given = env[name];
    if (given !== undefined && given !== (variables[name] ?? '')) {
      overrides[name] = given;
    }
  }
  return overrides;
}

/** @param {Record<string, string | undefined>} variables */
function readValues(variables) {
  /** @type {Record<string, any>} */
  const values = {};
  /** @type {string[]} */
  const problems = [];
  let isLacking = false;
  for (const [key, { name, read, expected, fallback }] of Object.entries(VARIABLES)) {
    const given = variables[name]?.trim() ?? '';
    if (given !== '') {
      try {
        values[key] = read(given);
      } catch (error) {
        problems.push(`${name}: ${/** @type {Error} */ (error).message}`);
      }
    } else if (expected !== undefined) {
      isLacking = true;
      problems.push(`${name} is not set: expected ${expected}`);
    } else {
      values[key] = fallback;
    }
  }
  return { values, problems, isLacking };
}
