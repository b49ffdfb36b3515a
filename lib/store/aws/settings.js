import { existsSync } from 'node:fs';
import path from 'node:path';
import { quote } from '../../text/quote.js';
import { keepSecrets } from '../../text/redact.js';
import { isR2 } from '../address.js';

export { isRegion } from '../live-credentials.js';

// Settings that the AWS CLI would use on this host, except credentials:
// https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html

/**
 * @typedef {{ value: string, from: string }} Setting `from` names its source, a variable or a profile, for messages
 *
 * @typedef {{ filepath: string, configFilepath: string }} SharedFiles `filepath` is the credentials file; both paths
 *   are '' if there is no home directory
 *
 * @typedef {object} AwsSettings
 * @property {string} profile
 * @property {string | null} profileFrom the variable or option that names the profile; null for the default profile
 * @property {boolean} hasProfile whether the shared files contain the profile
 * @property {boolean} givesCredentials whether the profile has keys, or specifies where to get them
 * @property {boolean} hasCredentials whether anything suggests that credentials exist, so that a search is worthwhile
 * @property {SharedFiles} files
 * @property {Setting | null} endpointUrl
 * @property {Setting | null} region
 * @property {Setting | null} authorities file with the trusted certificate authorities
 * @property {Setting | null} addressing `path`, `virtual` or `auto`
 */

/** Variables that suggest that credentials exist. */
const SIGNS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** Keys of a profile that contain credentials, or specify where to get them. */
const CREDENTIAL_KEYS = [
  'aws_access_key_id',
  'credential_process',
  'sso_session',
  'sso_start_url',
  'role_arn',
  'web_identity_token_file',
  'login_session',
];

/** Source of a setting that the user did not set. */
export const DEFAULT = 'the default';

/** Used if no region is set. S3 redirects requests for buckets in other regions. */
const DEFAULT_REGION = 'us-east-1';

/** Matches AWS hosts and captures any region: https://docs.aws.amazon.com/general/latest/gr/s3.html */
const AWS_HOST = /(?:^|\.|-(?=[a-z]{2}-))(?:([a-z]{2}(?:-[a-z]+)+-[0-9]+)\.(?:vpce\.)?)?amazonaws\.com(?:\.cn)?$/i;

/** R2 has one region: https://developers.cloudflare.com/r2/api/s3/api/#bucket-region */
const R2_REGION = 'auto';

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} [profileOption] value of --profile, which overrides the environment
 * @returns {Promise<AwsSettings>}
 */
export async function readAwsSettings(env, profileOption) {
  const inHome = (/** @type {string} */ name) => (env.HOME ? path.join(env.HOME, '.aws', name) : '');
  const files = {
    filepath: env.AWS_SHARED_CREDENTIALS_FILE || inHome('credentials'),
    configFilepath: env.AWS_CONFIG_FILE || inHome('config'),
  };
  const named =
    profileOption === undefined
      ? settingOf(env, 'AWS_PROFILE', 'AWS_DEFAULT_PROFILE')
      : { value: profileOption, from: '--profile' };
  const name = named?.value ?? 'default';
  const { profile, services } = await readProfile(files, name);
  const inProfile = (/** @type {string} */ key) => ofProfile(profile?.[key], key, name);
  const ignoresUrls = env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS?.toLowerCase() === 'true';
  const endpointUrl =
    settingOf(env, 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL') ??
    ofProfile(services['s3.endpoint_url'], 'endpoint_url', name) ??
    inProfile('endpoint_url');
  return {
    profile: name,
    profileFrom: named?.from ?? null,
    hasProfile: profile !== null,
    givesCredentials: CREDENTIAL_KEYS.some((key) => profile?.[key] !== undefined),
    hasCredentials: profile !== null || SIGNS.some((sign) => (env[sign] ?? '') !== ''),
    files,
    endpointUrl: ignoresUrls ? null : endpointUrl,
    region: settingOf(env, 'AWS_REGION', 'AWS_DEFAULT_REGION') ?? inProfile('region'),
    authorities: settingOf(env, 'AWS_CA_BUNDLE') ?? inProfile('ca_bundle'),
    addressing: ofProfile(profile?.['s3.addressing_style'], 'addressing_style', name),
  };
}

/** The S3 URL for an AWS region. @param {string} region */
export function awsEndpointUrl(region) {
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/**
 * @param {Pick<AwsSettings, 'region'>} settings
 * @param {string} [hostname] of the endpoint; AWS by default
 * @returns {Setting} the region for signing
 */
export function regionOf({ region }, hostname) {
  if (hostname !== undefined && isR2(hostname)) {
    return { value: R2_REGION, from: DEFAULT };
  }
  return region ?? { value: awsRegionIn(hostname) ?? DEFAULT_REGION, from: DEFAULT };
}

/** The region in the name of an AWS host, or the default region; null for any other host. @param {string} [hostname] */
export function awsRegionIn(hostname = '') {
  const match = AWS_HOST.exec(hostname);
  return match && (match[1]?.toLowerCase() ?? DEFAULT_REGION);
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {...string} names highest precedence first
 */
function settingOf(env, ...names) {
  const from = names.find((name) => (env[name] ?? '').trim() !== '');
  return from === undefined ? null : { value: String(env[from]).trim(), from };
}

/**
 * @param {string | undefined} value
 * @param {string} key
 * @param {string} profile
 */
function ofProfile(value, key, profile) {
  return value === undefined ? null : { value, from: `${key} of the profile ${quote(profile)}` };
}

/**
 * @param {SharedFiles} files
 * @param {string} name
 * @returns {Promise<{ profile: Record<string, string | undefined> | null,
 *   services: Record<string, string | undefined> }>}
 */
async function readProfile(files, name) {
  if (!existsSync(files.filepath) && !existsSync(files.configFilepath)) {
    return { profile: null, services: {} };
  }
  const { loadSharedConfigFiles } = await import('@smithy/core/config');
  const { configFile, credentialsFile } = await loadSharedConfigFiles(files);
  // Redact the keys of all profiles: a profile can assume a role with another profile's keys.
  const all = [...Object.values(configFile), ...Object.values(credentialsFile)];
  const secrets = all.flatMap((each) => [each.aws_secret_access_key ?? '', each.aws_session_token ?? '']);
  keepSecrets({ secrets, ids: all.map((each) => each.aws_access_key_id ?? '') });
  const parts = [configFile[name], credentialsFile[name]].filter((part) => part !== undefined);
  const profile = parts.length === 0 ? null : Object.assign({}, ...parts);
  return { profile, services: configFile[`services.${profile?.services}`] ?? {} };
}
