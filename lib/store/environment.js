import { parse } from 'dotenv';
import { keepSecrets } from '../text/redact.js';
import { readTextFile } from '../text/text-file.js';
import { bucketNames, edgeUrl, port, publicUrl, region, secret, storeAddress, yesOrNo } from '../options/values.js';
import { OPTIONS } from '../options/table.js';

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

const ALL_KEYS = /** @type {VariableKey[]} */ (Object.keys(VARIABLES));

/** @type {readonly VariableKey[]} */
const SECRET_KEYS = ['secretAccessKey', 'sessionToken', 'edgeSecret'];

/** The S3_… and EDGE_… variables of the environment and of a file; the environment takes precedence. */
export class Variables {
  #env;
  #inFile;
  #given;
  /** Why the file could not be read, or null. @type {string | null} */
  fileProblem;
  exists;

  /**
   * @param {Readonly<Record<string, string | undefined>>} env
   * @param {string} file
   */
  constructor(env, file) {
    const { variables, fileProblem, exists } = readFileOf(file);
    this.#env = env;
    this.#inFile = variables;
    this.#given = { ...variables, ...definedOnly(env) };
    this.fileProblem = fileProblem;
    this.exists = exists;
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
    return this.#given[VARIABLES[key].name]?.trim() ?? '';
  }
}

/**
 * @param {string} file
 * @returns {{ variables: Record<string, string>, fileProblem: string | null, exists: boolean }}
 */
function readFileOf(file) {
  try {
    return { variables: parse(readTextFile(file, MAX_FILE_BYTES)), fileProblem: null, exists: true };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const exists = code !== 'ENOENT';
    return { variables: {}, fileProblem: `${file}: ${exists ? message : 'there is no such file'}`, exists };
  }
}

/** @param {Readonly<Record<string, string | undefined>>} env */
function definedOnly(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}
