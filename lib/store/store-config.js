import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { plainText } from '../text/plain-text.js';
import { quote } from '../text/quote.js';
import { environmentCredentials, findCredentials } from '../aws/credentials.js';
import { Renewal } from '../aws/renewal.js';
import { DEFAULT, awsEndpointUrl, awsRegionIn, readAwsSettings, regionOf } from '../aws/settings.js';
import { Variables } from './environment.js';
import { FROM_CLONE, hintFor } from './hint.js';
import { chooseProxy } from './proxy.js';
import { UsageError } from '../options/usage-error.js';
import { endpointUrl, region, secret, urlOf } from '../options/values.js';

/**
 * @import { AwsCredentials } from '../aws/credentials.js'
 * @import { AwsSettings, Setting } from '../aws/settings.js'
 * @import { SettingNames, StoreConfig } from '../model/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { VariableKey } from './environment.js'
 * @import { Invocation } from './hint.js'
 * @import { EndpointUrl } from '../options/values.js'
 *
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
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_CA_BUNDLE'],
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
  const url = hasAddress ? null : givenUrl(options, aws);
  const authorities = hasAddress ? null : readAuthorities(aws);
  const namesBuckets = options.bucket !== undefined || variables.has('buckets');
  const keys = hasKeys
    ? null
    : await findKeys(options.profile === undefined ? env : {}, /** @type {AwsSettings} */ (aws), {
        certificate: authorities?.value,
        // Ask the metadata service only for AWS's own store: outside AWS, its timeout takes a second.
        mayAskHost: !hasAddress && url === null && namesBuckets,
        signal,
      });

  const needed = [
    ...(options.bucket === undefined ? /** @type {const} */ (['buckets']) : []),
    ...(hasAddress || (url === null && keys === null) ? ADDRESS : []),
    ...(keys === null ? KEYS : []),
    /** @type {const} */ ('region'),
  ];
  const { values, problems, isLacking } = variables.read(needed);
  problems.unshift(...variables.problems(isLacking));
  const named = url?.url ?? addressFrom(values);
  const signedFor = regionFrom(options.region, values, aws, named?.hostname, variables.has('region'));
  const isAws = keys !== null && url === null && !hasAddress;
  const address = isAws ? awsAddress(signedFor) : named;
  const addressing = addressingFrom(options, hasAddress ? null : aws);
  const buckets = [...new Set(/** @type {string[]} */ (options.bucket ?? values.buckets ?? []))];
  const proxy = address === null ? null : chooseProxy(env, address, options.proxy);
  const parts = [keys, url, authorities, signedFor, proxy];
  problems.push(
    ...parts.flatMap((part) => part?.problems ?? []),
    ...addressingProblems(addressing, { hostname: address?.hostname ?? '', buckets }),
  );
  if (problems.length > 0 || address === null || proxy === null) {
    throw new UsageError(problems, isLacking ? hintFor(file, variables.exists, invocation) : '');
  }
  const sources = {
    buckets: options.bucket === undefined ? null : '--bucket',
    keys: keys?.found?.from ?? null,
    address: hasAddress ? null : (url?.from ?? OF_AWS),
    region: signedFor.from,
    authorities: authorities?.from ?? null,
  };
  const found = keys?.found ?? null;
  const { place, notices } = placeOf(address, buckets);
  return {
    store: {
      buckets,
      ...place,
      ...(addressing.value === 'virtual' ? { addressing: /** @type {const} */ ('virtual') } : {}),
      ...(address.useTls && authorities !== null ? { certificate: authorities.value } : {}),
      ...(proxy.proxy === null ? {} : { proxy: proxy.proxy }),
      region: signedFor.value,
      credentials: found?.credentials ?? credentialsOf(values),
      ...settingsFrom(sources),
    },
    warnings: [
      ...variables.warnings,
      ...duplicateWarnings(options.bucket ?? values.buckets, buckets, options.bucket === undefined),
    ],
    notices: [...notices, ...sourceNotices(sources, { ...address, region: signedFor.value }, env), ...proxy.notices],
    // A variable that was not read was not validated, and may hold anything.
    overrides: { ...variables.overrides(needed), ...(aws === null ? {} : awsOverrides(env, sources.address)) },
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

/** @typedef {{ found: (Omit<AwsCredentials, 'renew'> & Partial<AwsCredentials>) | null, problems: string[] }} Keys */

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {AwsSettings} aws
 * @param {{ certificate?: string, mayAskHost: boolean, signal?: AbortSignal }} options `mayAskHost`: whether to ask the
 *   metadata service last; `signal`: ends the search
 * @returns {Promise<Keys | null>} null if no credentials are configured
 */
async function findKeys(env, aws, { mayAskHost, ...options }) {
  const inEnvironment = environmentCredentials(env);
  if (inEnvironment !== null) {
    const problems = Object.entries(inEnvironment).flatMap(([member, value]) => secretProblems(member, value));
    return { found: { credentials: inEnvironment, from: 'AWS_ACCESS_KEY_ID' }, problems };
  }
  if (aws.profileFrom !== null && !aws.hasProfile) {
    const { filepath, configFilepath } = aws.files;
    return {
      found: null,
      problems: [`${aws.profileFrom}: there is no profile ${quote(aws.profile)} in ${configFilepath} or ${filepath}`],
    };
  }
  if (!aws.hasCredentials && !mayAskHost) {
    return null;
  }
  try {
    return { found: await findCredentials(aws, options), problems: [] };
  } catch (error) {
    options.signal?.throwIfAborted();
    return aws.hasCredentials
      ? { found: null, problems: [`no credentials: ${/** @type {Error} */ (error).message}`] }
      : null;
  }
}

/**
 * @param {string} member of credentials
 * @param {string} value
 */
function secretProblems(member, value) {
  const name = AWS_KEYS[/** @type {keyof typeof AWS_KEYS} */ (member)];
  if (value === '') {
    return [`${name} is not set: expected both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`];
  }
  try {
    secret(value);
    return [];
  } catch (error) {
    return [`${name}: ${/** @type {Error} */ (error).message}`];
  }
}

/** @typedef {{ url: EndpointUrl | null, from: string, problems: string[] }} GivenUrl */

/**
 * @param {AddressOptions} options
 * @param {AwsSettings | null} aws
 * @returns {GivenUrl | null}
 */
function givenUrl({ endpointUrl: option }, aws) {
  if (option !== undefined) {
    return { url: option, from: '--endpoint-url', problems: [] };
  }
  const setting = aws?.endpointUrl ?? null;
  if (setting === null) {
    return null;
  }
  try {
    return { url: endpointUrl(setting.value), from: setting.from, problems: [] };
  } catch (error) {
    return { url: null, from: setting.from, problems: [`${setting.from}: ${/** @type {Error} */ (error).message}`] };
  }
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

/** AWS's address; null if the region is unusable. @param {{ value: string | undefined, problems: string[] }} region */
function awsAddress({ value, problems }) {
  return value === undefined || problems.length > 0 ? null : endpointUrl(awsEndpointUrl(value));
}

/**
 * @param {string | undefined} option
 * @param {Record<string, any>} values of the S3_… variables
 * @param {AwsSettings | null} aws null if it was not read
 * @param {string | undefined} hostname
 * @param {boolean} isSet whether S3_REGION is set
 * @returns {Setting & { problems: string[] }}
 */
function regionFrom(option, values, aws, hostname, isSet) {
  if (option !== undefined) {
    return { value: option, from: '--region', problems: [] };
  }
  if (isSet) {
    return { value: values.region, from: 'S3_REGION', problems: [] };
  }
  if (aws === null) {
    return { value: awsRegionIn(hostname) ?? values.region, from: DEFAULT, problems: [] };
  }
  const { value, from } = regionOf(aws, hostname);
  try {
    return { value: region(value), from, problems: [] };
  } catch (error) {
    return { value, from, problems: [`${from}: ${/** @type {Error} */ (error).message}`] };
  }
}

/**
 * @param {AddressOptions} options
 * @param {AwsSettings | null} aws
 * @returns {Setting}
 */
function addressingFrom({ addressing }, aws) {
  if (addressing !== undefined) {
    return { value: addressing, from: '--addressing' };
  }
  return aws?.addressing ?? { value: 'path', from: DEFAULT };
}

/**
 * @param {Setting} addressing
 * @param {Pick<StoreConfig, 'hostname' | 'buckets'>} store
 */
export function addressingProblems({ value, from }, { hostname, buckets }) {
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
 * @returns {{ value: string | undefined, from: string, problems: string[] } | null} as PEM
 */
function readAuthorities(aws) {
  const setting = aws?.authorities ?? null;
  if (setting === null) {
    return null;
  }
  const { from } = setting;
  try {
    const pem = readFileSync(setting.value, 'utf8');
    // Throws if the file does not begin with a certificate.
    new X509Certificate(pem);
    return { value: pem, from, problems: [] };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return {
      value: undefined,
      from,
      problems: [`${from}: expected a PEM file of certificates: ${plainText(message)}`],
    };
  }
}

/**
 * @param {readonly string[]} given
 * @param {readonly string[]} buckets
 * @param {boolean} isVariable
 */
function duplicateWarnings(given, buckets, isVariable) {
  return buckets.length < given.length
    ? [`${isVariable ? 'S3_BUCKET' : '--bucket'} lists a bucket more than once; it is used only once`]
    : [];
}

/**
 * @typedef {{ buckets: string | null, keys: string | null, address: string | null, region: string,
 *   authorities: string | null }} Sources sources of settings; null for S3_… variables
 */

/**
 * @param {Sources} sources
 * @returns {Pick<StoreConfig, 'settings'>} names of the settings in messages
 */
function settingsFrom({ buckets, keys, address, region: regionName, authorities }) {
  /** @type {Partial<SettingNames>} */
  const settings = {};
  if (buckets !== null) {
    settings.buckets = buckets;
  }
  if (address !== null) {
    const name = address === OF_AWS ? 'AWS_REGION or --endpoint-url' : address;
    Object.assign(settings, { hostname: name, port: name, tls: name, plainHttp: 'a URL with http://' });
    settings.region = regionName === DEFAULT ? 'AWS_REGION' : regionName;
  }
  if (regionName === '--region') {
    settings.region = regionName;
  }
  if (keys === 'AWS_ACCESS_KEY_ID') {
    Object.assign(settings, { keys: 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY', sessionToken: 'AWS_SESSION_TOKEN' });
  } else if (keys !== null) {
    Object.assign(settings, { keys: `the credentials of ${keys}`, sessionToken: `the session token of ${keys}` });
  }
  if (authorities !== null) {
    settings.authorities = `only the authorities in ${authorities} are trusted`;
  }
  return Object.keys(settings).length === 0 ? {} : { settings };
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
