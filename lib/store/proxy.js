import { BlockList, isIP, isIPv4 } from 'node:net';
import { NO_PROXY, OF_ENVIRONMENT, proxyUrl } from '../options/values.js';

/**
 * @import { ProxyConfig } from '../model/config.js'
 * @import { EndpointUrl } from '../options/values.js'
 *
 * @typedef {{ proxy: ProxyConfig | null, problems: string[], notices: string[] }} ChosenProxy `proxy`: null for a
 *   direct connection
 */

/** Variables that name a proxy, by precedence. HTTP_PROXY is excluded: web servers may set it from a request header. */
const PROXY_VARIABLES = Object.freeze({
  https: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  http: ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
});

/** This host, which is never reached through a proxy. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * A proxy changes what is measured, so a proxy from the environment is used only on request, and never ignored
 * silently.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {Pick<EndpointUrl, 'hostname' | 'port' | 'useTls'>} address
 * @param {ProxyConfig | typeof OF_ENVIRONMENT | typeof NO_PROXY} [choice]
 * @returns {ChosenProxy}
 */
export function chooseProxy(env, address, choice) {
  const direct = { proxy: null, problems: [], notices: [] };
  if (choice === NO_PROXY) {
    return direct;
  }
  if (choice !== undefined && choice !== OF_ENVIRONMENT) {
    return through(choice, '--proxy');
  }
  const name = PROXY_VARIABLES[address.useTls ? 'https' : 'http'].find((each) => (env[each] ?? '').trim() !== '');
  if (name === undefined) {
    const names = address.useTls ? 'HTTPS_PROXY or ALL_PROXY' : 'HTTP_PROXY or ALL_PROXY';
    return choice === undefined ? direct : { ...direct, problems: [`--proxy: expected ${names} to be set`] };
  }
  if (isExempt(address, env.no_proxy ?? env.NO_PROXY ?? '')) {
    return direct;
  }
  if (choice === undefined) {
    return {
      ...direct,
      problems: [
        `${name} names a proxy, which would be part of the measurement: pass --proxy env to use it, or --proxy none to connect directly`,
      ],
    };
  }
  try {
    return through(proxyUrl(String(env[name]).trim()), name);
  } catch (error) {
    return { ...direct, problems: [`${name}: ${/** @type {Error} */ (error).message}`] };
  }
}

/**
 * @param {ProxyConfig} proxy
 * @param {string} from
 * @returns {ChosenProxy}
 */
function through(proxy, from) {
  const { hostname, port } = proxy;
  return {
    proxy,
    problems: [],
    notices: [`All connections use the proxy ${hostname}:${port} of ${from}, which is part of the measurement`],
  };
}

/**
 * @param {Pick<EndpointUrl, 'hostname' | 'port'>} address
 * @param {string} list of NO_PROXY: name suffixes, addresses or ranges, each with an optional port
 * @returns {boolean} whether to connect to it directly
 */
export function isExempt({ hostname, port: number }, list) {
  const host = hostname.toLowerCase();
  if (/(^|\.)localhost$/.test(host) || isWithin(LOOPBACK, host)) {
    return true;
  }
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  return entries.some((entry) => {
    if (entry === '*') {
      return true;
    }
    // An IPv6 address can have a port only if it is in brackets.
    const [, name = entry, port] = /^(\[.*\]|[^:]*):([0-9]+)$/.exec(entry) ?? [];
    return (port === undefined || Number(port) === number) && matches(host, name.replace(/^\[|\]$/g, ''));
  });
}

/**
 * @param {string} host
 * @param {string} entry without a port
 */
function matches(host, entry) {
  const [, base, bits] = /^([0-9a-f.:]+)\/([0-9]{1,3})$/.exec(entry) ?? [];
  if (base !== undefined) {
    return isInRange(host, base, Number(bits));
  }
  const name = entry.replace(/^\*?\./, '');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

/**
 * @param {string} host
 * @param {string} base
 * @param {number} bits
 */
function isInRange(host, base, bits) {
  if (isIP(base) === 0 || bits > (isIPv4(base) ? 32 : 128)) {
    return false;
  }
  const range = new BlockList();
  range.addSubnet(base, bits, isIPv4(base) ? 'ipv4' : 'ipv6');
  return isWithin(range, host);
}

/**
 * @param {BlockList} list
 * @param {string} host
 */
function isWithin(list, host) {
  return isIP(host) !== 0 && list.check(host, isIPv4(host) ? 'ipv4' : 'ipv6');
}
