import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Renewal, askInTime, environmentCredentials, expiryOf, findCredentials } from '../../store/aws/credentials.js';
import { DEFAULT, awsEndpointUrl, awsRegionIn, readAwsSettings, regionOf } from '../../store/aws/settings.js';
import { UsageError } from '../usage-error.js';
import { bucketNames, endpointUrl, oneOf, proxyUrl, region, secret, urlOf } from '../values.js';
import { plainText } from '../../text/plain-text.js';
import { quote } from '../../text/quote.js';
import { keepSecrets } from '../../text/redact.js';
import { FROM_CLONE, Variables, attempt, chooseProxy, proxyNotices, settingsOfUrl } from './environment.js';

/**
 * @import { AwsCredentials } from '../../store/aws/credentials.js'
 * @import { AwsSettings, Setting } from '../../store/aws/settings.js'
 * @import { Credentials, GivenCredentials, GivenStore, SettingNames, StoreConfig } from '../../result/config.js'
 * @import { OptionValues } from '../read-options.js'
 * @import { EndpointUrl } from '../values.js'
 * @import { Invocation, VariableKey } from './environment.js'
 */

/**
 * @typedef {Partial<Pick<OptionValues,
 *   'bucket' | 'endpointUrl' | 'region' | 'profile' | 'addressing' | 'proxy'>>} AddressOptions
 *
 * @typedef {object} FoundStore
 * @property {StoreConfig} store
 * @property {string[]} warnings
 * @property {string[]} notices which of several possible settings were used
 * @property {Record<string, string>} overrides variables by which a later command finds this store; no secrets
 * @property {Renewal | null} renewal of temporary credentials
 */

/** @type {readonly VariableKey[]} */
const KEYS = ['accessKeyId', 'secretAccessKey', 'sessionToken'];
/** @type {readonly VariableKey[]} */
const ADDRESS = ['hostname', 'useTls', 'port'];

/** AWS variables that never hold a secret. */
const AWS_VARIABLES = [
  ...['AWS_PROFILE', 'AWS_DEFAULT_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_CA_BUNDLE', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'],
];
/** AWS variables with a URL, which may contain a password. */
const AWS_URL_VARIABLES = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'];

/** Source of an address that the user did not give. */
const OF_AWS = 'AWS default';

const AWS_KEYS = Object.freeze({
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
});

/** A bucket name that is a valid host label, so that both clients can address it virtual-host style. */
const HOST_LABEL = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/**
 * Finds the store, its address and its credentials: in the options, then in the S3_… variables of the environment or a
 * file, and finally where the AWS CLI would look.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} file
 * @param {Invocation} [invocation]
 * @param {AddressOptions} [options]
 * @param {AbortSignal} [signal] ends the search for credentials
 * @returns {Promise<FoundStore>}
 * @throws {UsageError} with every problem
 */
export async function readStoreConfig(env, file, invocation = FROM_CLONE, options = {}, signal = undefined) {
  const variables = new Variables(env, file);
  const hasKeys = options.profile === undefined && variables.has(...KEYS);
  const hasAddress = options.endpointUrl === undefined && variables.has(...ADDRESS);
  const aws = hasKeys && hasAddress ? null : await readAwsSettings(env, options.profile);
  /** @type {string[]} */
  const others = [];
  /** @type {string[]} */
  const keyProblems = [];
  const url = hasAddress ? null : givenUrl(options, aws, others);
  const authorities = hasAddress ? null : readAuthorities(aws, others);
  const namesBuckets = options.bucket !== undefined || variables.has('buckets');
  const found = hasKeys
    ? null
    : await findKeys(options.profile === undefined ? env : {}, /** @type {AwsSettings} */ (aws), keyProblems, {
        certificate: authorities?.value,
        // Ask the metadata service only for AWS's own store: outside AWS, its timeout takes a second.
        mayAskHost: !hasAddress && url === null && namesBuckets,
        signal,
      });
  const needsKeys = found === null && keyProblems.length === 0;
  const needed = [
    ...(options.bucket === undefined ? /** @type {const} */ (['buckets']) : []),
    ...(hasAddress || (url === null && needsKeys) ? ADDRESS : []),
    ...(needsKeys ? KEYS : []),
    /** @type {const} */ ('region'),
  ];
  const { values, problems, isLacking } = variables.read(needed);
  const named = url === null ? addressFrom(values) : url.value;
  const signedFor = regionFrom(options.region, values, aws, named?.hostname, variables.has('region'));
  // If it is missing, its problem is among those of the variables.
  const isUsable =
    signedFor.value !== undefined && attempt(others, signedFor.from, () => region(signedFor.value)) !== null;
  const isAws = !needsKeys && url === null && !hasAddress;
  const address = isAws ? (isUsable ? endpointUrl(awsEndpointUrl(signedFor.value)) : null) : named;
  const addressing =
    options.addressing === undefined
      ? ((hasAddress ? null : aws?.addressing) ?? { value: 'path', from: DEFAULT })
      : { value: options.addressing, from: '--addressing' };
  const given = /** @type {string[]} */ (options.bucket ?? values.buckets ?? []);
  const buckets = [...new Set(given)];
  const chosen = chooseProxy(env, address, options.proxy, others);
  const strange = addressingProblems(addressing, { hostname: address?.hostname ?? '', buckets });
  variables.refuse([...problems, ...keyProblems, ...others, ...strange], isLacking, invocation);
  const sources = {
    buckets: options.bucket === undefined ? null : '--bucket',
    keys: found?.from ?? null,
    address: hasAddress ? null : (url?.from ?? OF_AWS),
    region: signedFor.from,
    authorities: authorities?.from ?? null,
  };
  const { place, notices } = placeOf(/** @type {EndpointUrl} */ (address), buckets);
  return {
    store: {
      buckets,
      ...place,
      ...(addressing.value === 'virtual' && { addressing: /** @type {const} */ ('virtual') }),
      ...(authorities && place.useTls && { certificate: authorities.value }),
      ...(chosen && { proxy: chosen.proxy }),
      region: signedFor.value,
      credentials: found?.credentials ?? credentialsOf(values),
      settings: settingsFrom(sources),
    },
    warnings: [
      ...variables.warnings,
      ...(buckets.length === given.length
        ? []
        : [`${sources.buckets ?? 'S3_BUCKET'} lists a bucket more than once; it is used only once`]),
    ],
    notices: [
      ...notices,
      ...sourceNotices(sources, { .../** @type {EndpointUrl} */ (address), region: signedFor.value }, env),
      ...proxyNotices(chosen),
    ],
    // A variable that was not read was not validated, and may hold anything.
    overrides: { ...variables.overrides(needed), ...(aws && awsOverrides(env, sources.address)) },
    renewal:
      found?.renew === undefined || found.credentials.expiresAt === undefined
        ? null
        : new Renewal(found.credentials, found.renew),
  };
}

/** @param {Record<string, any>} values */
function credentialsOf({ accessKeyId, secretAccessKey, sessionToken }) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {AwsSettings} aws
 * @param {string[]} problems to which problems are added
 * @param {{ certificate?: string, mayAskHost: boolean, signal?: AbortSignal }} options `mayAskHost`: whether to ask the
 *   metadata service last; `signal`: ends the search
 * @returns {Promise<(Omit<AwsCredentials, 'renew'> & Partial<AwsCredentials>) | null>} null if no credentials are
 *   configured, or if there are problems
 */
async function findKeys(env, aws, problems, { mayAskHost, ...options }) {
  const inEnvironment = environmentCredentials(env);
  if (inEnvironment !== null) {
    for (const [member, value] of Object.entries(inEnvironment)) {
      const name = AWS_KEYS[/** @type {keyof typeof AWS_KEYS} */ (member)];
      if (value === '') {
        problems.push(`${name} is not set: expected both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
      } else {
        attempt(problems, name, () => secret(value));
      }
    }
    return { credentials: inEnvironment, from: 'AWS_ACCESS_KEY_ID' };
  }
  if (aws.profileFrom !== null && !aws.hasProfile) {
    const { filepath, configFilepath } = aws.files;
    problems.push(`${aws.profileFrom}: there is no profile ${quote(aws.profile)} in ${configFilepath} or ${filepath}`);
  } else if (aws.hasCredentials || mayAskHost) {
    try {
      return await findCredentials(aws, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (aws.hasCredentials) {
        problems.push(`no credentials: ${/** @type {Error} */ (error).message}`);
      }
    }
  }
  return null;
}

/**
 * @param {AddressOptions} options
 * @param {AwsSettings | null} aws
 * @param {string[]} problems to which a problem is added
 * @returns {{ value: EndpointUrl | null, from: string } | null} null if no URL is given
 */
function givenUrl({ endpointUrl: option }, aws, problems) {
  if (option !== undefined) {
    return { value: option, from: '--endpoint-url' };
  }
  const setting = aws?.endpointUrl ?? null;
  return setting && { ...setting, value: attempt(problems, setting.from, () => endpointUrl(setting.value)) };
}

/**
 * @param {Record<string, any>} values of the S3_… variables
 * @returns {EndpointUrl | null} null if the variables give no address
 */
function addressFrom({ hostname: host, useTls, port }) {
  if (host === undefined || useTls === undefined) {
    return null;
  }
  const isTls = host.useTls ?? useTls;
  return { port: port ?? (isTls ? 443 : 80), ...host, useTls: isTls };
}

/**
 * Consoles show the bucket in the endpoint's path. Requests add it once more, so it is taken off.
 *
 * @param {EndpointUrl} address
 * @param {readonly string[]} buckets
 * @returns {{ place: Pick<StoreConfig, 'hostname' | 'port' | 'useTls' | 'basePath'>, notices: string[] }}
 */
export function placeOf({ basePath, ...place }, buckets) {
  return buckets.includes(basePath.slice(1))
    ? {
        place,
        notices: [`The path ${basePath} of the endpoint is the bucket, and is not used as a part of the address`],
      }
    : { place: { ...place, ...(basePath === '' ? {} : { basePath }) }, notices: [] };
}

/**
 * @param {string | undefined} option
 * @param {Record<string, any>} values of the S3_… variables
 * @param {AwsSettings | null} aws null if it was not read
 * @param {string | undefined} hostname
 * @param {boolean} isSet whether S3_REGION is set
 * @returns {Setting}
 */
function regionFrom(option, values, aws, hostname, isSet) {
  if (option !== undefined) {
    return { value: option, from: '--region' };
  }
  if (isSet) {
    return { value: values.region, from: 'S3_REGION' };
  }
  return aws === null ? { value: awsRegionIn(hostname) ?? values.region, from: DEFAULT } : regionOf(aws, hostname);
}

/**
 * @param {Setting} addressing
 * @param {Pick<StoreConfig, 'hostname' | 'buckets'>} store
 */
function addressingProblems({ value, from }, { hostname, buckets }) {
  if (value !== 'virtual') {
    return [];
  }
  const name = `${from}: ${value}`;
  return [
    ...(buckets.length > 1
      ? [
          `${name} needs a separate connection for each bucket, but a thread has only one connection: expected one bucket, or path`,
        ]
      : []),
    ...(isIP(hostname) === 0 ? [] : [`${name} requires a host name, got ${hostname}: expected path`]),
    ...buckets
      .filter((bucket) => !HOST_LABEL.test(bucket))
      .map((bucket) => `${name} requires a bucket name of a-z 0-9 and -, got ${quote(bucket)}: expected path`),
  ];
}

/**
 * @param {AwsSettings | null} aws
 * @param {string[]} problems to which a problem is added
 * @returns {Setting | null} the value as PEM; null if the system's authorities are trusted
 */
function readAuthorities(aws, problems) {
  const setting = aws?.authorities ?? null;
  try {
    if (setting === null) {
      return null;
    }
    const pem = readFileSync(setting.value, 'utf8');
    // Throws if the file does not begin with a certificate.
    new X509Certificate(pem);
    return { ...setting, value: pem };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    problems.push(`${setting?.from}: expected a PEM file of certificates: ${plainText(message)}`);
    return null;
  }
}

/**
 * @typedef {{ buckets: string | null, keys: string | null, address: string | null, region: string,
 *   authorities: string | null }} Sources sources of settings; null for S3_… variables
 */

/**
 * @param {Sources} sources
 * @returns {Partial<SettingNames>} names of the settings in messages
 */
function settingsFrom({ buckets, keys, address, region: regionName, authorities }) {
  const [keyNames, tokenName] =
    keys === 'AWS_ACCESS_KEY_ID'
      ? ['AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']
      : [`the credentials of ${keys}`, `the session token of ${keys}`];
  return {
    ...(buckets && { buckets }),
    ...(address && {
      ...settingsOfUrl(address === OF_AWS ? 'AWS_REGION or --endpoint-url' : address),
      region: regionName === DEFAULT ? 'AWS_REGION' : regionName,
    }),
    ...(regionName === '--region' && { region: regionName }),
    ...(keys && { keys: keyNames, sessionToken: tokenName }),
    ...(authorities && { authorities: `only the authorities in ${authorities} are trusted` }),
  };
}

/**
 * @param {Sources} sources
 * @param {EndpointUrl & { region: string }} address
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string[]} one line if an option or the AWS configuration overrides a variable, or vice versa
 */
function sourceNotices(
  { keys, address: from, region: regionName, authorities },
  { region: signedFor, ...address },
  env,
) {
  const hasOther = (/** @type {string[]} */ ...names) => names.find((name) => (env[name] ?? '') !== '');
  const otherKeys = keys === null ? hasOther('AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_DEFAULT_PROFILE') : undefined;
  const otherAddress = from === null ? hasOther(...AWS_URL_VARIABLES) : undefined;
  if (keys === null && from === null && otherKeys === undefined && otherAddress === undefined) {
    return [];
  }
  const parts = [
    `credentials of ${keys ?? 'S3_ACCESS_KEY'}${otherKeys === undefined ? '' : `, not of ${otherKeys}`}`,
    `endpoint ${urlOf(address)} (${from ?? 'S3_HOSTNAME'}${otherAddress === undefined ? '' : `, not ${otherAddress}`})`,
    `region ${signedFor} (${regionName})`,
    ...(authorities === null || !address.useTls ? [] : [`certificate authorities of ${authorities}`]),
  ];
  return [`Using ${parts.join('; ')}`];
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string | null} address source of the address: the only URL variable known to contain no password
 * @returns {Record<string, string>}
 */
function awsOverrides(env, address) {
  const names = [...AWS_VARIABLES, ...AWS_URL_VARIABLES.filter((name) => name === address)];
  return Object.fromEntries(names.flatMap((name) => ((env[name] ?? '') === '' ? [] : [[name, String(env[name])]])));
}

const NAMES = ['endpoint', 'bucket', 'credentials', 'region', 'addressing', 'proxy', 'certificate'];

/**
 * @param {GivenStore} given
 * @param {AbortSignal} [signal] ends the wait for credentials
 * @returns {Promise<FoundStore>}
 * @throws {UsageError} with every problem
 */
export async function readGivenStore(given, signal) {
  const { bucket, credentials: keys, region: name = 'auto', addressing = 'path', certificate } = given;
  /** @type {string[]} */
  const problems = Object.keys(given).flatMap((key) =>
    NAMES.includes(key) ? [] : [`store.${key}: unknown setting, expected ${NAMES.join(', ')}`],
  );
  /** @type {<Value>(setting: string, read: () => Value) => Value | null} */
  const read = (setting, reader) => attempt(problems, `store.${setting}`, reader);
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : '');
  const address = read('endpoint', () => endpointUrl(text(given.endpoint)));
  const buckets = read('bucket', () => bucketNames(Array.isArray(bucket) ? bucket.join(',') : text(bucket))) ?? [];
  const signedFor = read('region', () => region(text(name)));
  const style = read('addressing', () => oneOf('path', 'virtual')(text(addressing)));
  const proxy = given.proxy === undefined ? null : read('proxy', () => proxyUrl(text(given.proxy)));
  read('certificate', () => createSecureContext(certificate === undefined ? {} : { ca: certificate }));
  const provide = typeof keys === 'function' ? keys : async () => keys;
  const credentials = await readCredentials(provide, signal).catch((error) => {
    signal?.throwIfAborted();
    return read('credentials', () => {
      throw error;
    });
  });
  const addressed = { value: String(style), from: 'store.addressing' };
  problems.push(...addressingProblems(addressed, { hostname: address?.hostname ?? '', buckets }));
  if (problems.length > 0 || address === null || credentials === null || signedFor === null) {
    throw new UsageError(problems);
  }
  const { place, notices } = placeOf(address, buckets);
  return {
    store: {
      buckets: [...new Set(buckets)],
      ...place,
      ...(style === 'virtual' && { addressing: style }),
      ...(certificate !== undefined && address.useTls && { certificate }),
      ...(proxy && { proxy }),
      region: signedFor,
      credentials,
      settings: SETTINGS,
    },
    warnings: [],
    notices,
    overrides: {},
    renewal:
      typeof keys === 'function' && credentials.expiresAt !== undefined
        ? new Renewal(credentials, (ending) => readCredentials(keys, ending))
        : null,
  };
}

/** Names of the settings in messages. */
const SETTINGS = Object.freeze({
  buckets: 'store.bucket',
  ...settingsOfUrl('store.endpoint'),
  region: 'store.region',
  keys: 'store.credentials',
  sessionToken: 'store.credentials.sessionToken',
  authorities: 'only the authorities in store.certificate are trusted',
});

/**
 * @param {() => Promise<GivenCredentials>} provide
 * @param {AbortSignal} [signal] ends the wait
 * @returns {Promise<Credentials>}
 * @throws {Error} without a secret in its message
 */
async function readCredentials(provide, signal) {
  const given = await askInTime(async () => provide(), signal);
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = given ?? {};
  const values = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  for (const [member, value] of Object.entries(values)) {
    if (typeof value !== 'string' || value === '') {
      throw new Error(`expected accessKeyId and secretAccessKey, got no ${member}`);
    }
    secret(value);
  }
  keepSecrets({ secrets: [secretAccessKey, sessionToken ?? ''], ids: [accessKeyId] }, accessKeyId);
  return { ...values, ...expiryOf(expiration) };
}
