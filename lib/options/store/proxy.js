import { isIP } from 'node:net';
import { NO_PROXY, OF_ENVIRONMENT, proxyUrl } from '../values.js';
import { attempt } from './environment.js';

/**
 * @import { ProxyConfig } from '../../result/config.js'
 * @import { EndpointUrl } from '../values.js'
 */

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
      const [, full = entry, port] = /^(\[.*\]|[^:]*):([0-9]+)$/.exec(entry) ?? [];
      const name = full.replace(/^\[|\]$|^\*?\./g, '');
      const isNamed = name === '*' || host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
      return isNamed && (port === undefined || Number(port) === number);
    })
  );
}
