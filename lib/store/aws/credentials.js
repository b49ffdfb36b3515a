import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { plainText } from '../../text/plain-text.js';
import { quote } from '../../text/quote.js';
import { askInTime, expiryOf } from './renewal.js';

/**
 * @import { FromIniInit } from '@aws-sdk/credential-provider-ini'
 * @import { DefaultProviderInit } from '@aws-sdk/credential-provider-node'
 * @import { ChildProcess } from 'node:child_process'
 * @import { Credentials } from '../../result/config.js'
 * @import { AwsSettings } from './settings.js'
 */

/**
 * @typedef {object} AwsCredentials
 * @property {Credentials} credentials
 * @property {string} from their source, for messages
 * @property {(signal: AbortSignal) => Promise<Credentials>} renew fetches new credentials; the signal aborts its
 *   requests and ends its process. Throws an Error whose message contains no secret
 */

/** The metadata service of a cloud host responds within a second; on any other host it does not exist. */
const METADATA_SERVICE = Object.freeze({ timeout: 1000, maxRetries: 0 });

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * Credentials from the environment. As with the AWS CLI, they take precedence over those of a profile.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Credentials | null} null if neither key is set; if only one is set, the other is ''
 */
export function environmentCredentials(env) {
  const accessKeyId = env.AWS_ACCESS_KEY_ID?.trim() ?? '';
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY?.trim() ?? '';
  const sessionToken = env.AWS_SESSION_TOKEN?.trim() ?? '';
  if (accessKeyId === '' && secretAccessKey === '') {
    return null;
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
}

/**
 * Tries the same sources as the AWS CLI: the profile in the shared files (keys, SSO, a role or a process) and, if the
 * profile specifies no credentials, a web identity, the container and the host's metadata service. If the profile
 * fails, no other source is tried, because it might have someone else's credentials.
 *
 * @param {AwsSettings} settings
 * @param {{ certificate?: string, signal?: AbortSignal }} [options] `certificate`: PEM text with the only trusted
 *   certificate authorities; `signal`: ends the search
 * @returns {Promise<AwsCredentials>}
 * @throws {Error} whose message contains no secret
 */
export async function findCredentials(settings, { certificate, signal } = {}) {
  const provider = await openProvider(settings, certificate);
  const ask = async (/** @type {AbortSignal | undefined} */ stop) => {
    try {
      return await askInTime((end) => ending.run(end, provider), stop);
    } catch (error) {
      throw new Error(withoutCommand(/** @type {Error} */ (error)), { cause: error });
    }
  };
  const found = await ask(signal);
  const from = settings.givesCredentials
    ? `the profile ${quote(settings.profile)}`
    : 'a web identity, the container or the metadata service of this host';
  const taken = (/** @type {FoundCredentials} */ credentials) => ours(credentials, from);
  return { credentials: taken(found), from, renew: async (stop) => taken(await ask(stop)) };
}

/**
 * @param {AwsSettings} settings
 * @param {string} [certificate] PEM text with the only trusted certificate authorities
 * @returns {Promise<() => Promise<FoundCredentials>>} fetches the credentials again on each call
 */
async function openProvider({ profile, profileFrom, givesCredentials, files }, certificate) {
  const clientConfig = { requestHandler: await credentialRequests(certificate) };
  const options = { ...files, clientConfig, logger: SILENT, ignoreCache: true };
  return givesCredentials
    ? profileProvider({ ...options, profile })
    : defaultProvider({ ...options, ...METADATA_SERVICE, ...(profileFrom === null ? {} : { profile }) });
}

/** @param {FromIniInit} options */
async function profileProvider(options) {
  const { fromIni } = await import('@aws-sdk/credential-provider-ini');
  return fromIni(options);
}

/** @param {DefaultProviderInit} options */
async function defaultProvider(options) {
  const sdk = await import('@aws-sdk/credential-provider-node');
  const provider = sdk.defaultProvider(options);
  return () => provider({ forceRefresh: true });
}

/**
 * @typedef {{ accessKeyId: string, secretAccessKey: string,
 *   sessionToken?: string, expiration?: Date }} FoundCredentials
 */

/**
 * @param {FoundCredentials} found
 * @param {string} from
 * @returns {Credentials}
 * @throws {Error} if their expiration is invalid, or they contain characters that are invalid in HTTP headers
 */
function ours({ accessKeyId, secretAccessKey, sessionToken, expiration }, from) {
  if (![accessKeyId, secretAccessKey, sessionToken || accessKeyId].every((value) => PRINTABLE.test(value))) {
    throw new Error(`the keys from ${from} contain spaces or unprintable characters`);
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }), ...expiryOf(expiration) };
}

/** Removes the command of credential_process and its stderr, which may contain secrets. @param {Error} error */
function withoutCommand({ message }) {
  return /^Command failed: /.test(message)
    ? 'the credential_process command failed: run it in a shell to see why'
    : plainText(message);
}

/**
 * The signal that ends what a provider of the SDK does: its requests, and the shell command of credential_process, which
 * the SDK has no way to end.
 *
 * @type {AsyncLocalStorage<AbortSignal>}
 */
export const ending = new AsyncLocalStorage();

subscribe('child_process', (message) => {
  const { process: child } = /** @type {{ process: ChildProcess }} */ (message);
  ending.getStore()?.addEventListener('abort', () => {
    if (child.exitCode === null && child.signalCode === null) {
      familyOf(Number(child.pid)).forEach(kill);
    }
    // Whatever survives must not keep this process from ending.
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
});

/**
 * A process and, on Linux, its descendants: a shell such as dash remains the parent of its command.
 *
 * @param {number} id
 * @returns {number[]}
 */
function familyOf(id) {
  try {
    const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').match(/\d+/g);
    return [id, ...(children ?? []).flatMap((child) => familyOf(Number(child)))];
  } catch {
    return [id];
  }
}

/** @param {number} id of a process, which may have ended */
function kill(id) {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Milliseconds. By default, the SDK waits forever. */
const TIMEOUTS = Object.freeze({
  connectionTimeout: 5000,
  requestTimeout: 10_000,
  // By default, the SDK only logs a warning when a request times out.
  throwOnRequestTimeout: true,
  // Aborts a response that stalls midway.
  socketTimeout: 10_000,
});

/**
 * Sends requests for credentials, with time limits and a way to abort them.
 *
 * @param {string} [certificate] PEM text with the only trusted certificate authorities
 */
export async function credentialRequests(certificate) {
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  const handler = new NodeHttpHandler({
    ...TIMEOUTS,
    ...(certificate && { httpsAgent: new Agent({ ca: certificate }) }),
  });
  const handle = handler.handle.bind(handler);
  handler.handle = (request, options) => handle(request, { ...options, abortSignal: ending.getStore() });
  return handler;
}
