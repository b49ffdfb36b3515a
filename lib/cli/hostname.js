import { isIPv6 } from 'node:net';
import { quote } from '../log/quote.js';
import { withoutUser } from './values.js';

const HOSTNAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/**
 * Reads the value of a variable that names a host, and nothing beside it.
 *
 * @param {string} given
 * @returns {string} the same
 * @throws {RangeError} that says where the rest belongs, and shows no password
 */
export function hostname(given) {
  // 1.2.3.999 has the form of a name, and is none; an address with a zone cannot stand in a URL.
  const isName = HOSTNAME.test(given) && URL.canParse(`http://${given}`);
  if (!isName && !(isIPv6(given) && !given.includes('%'))) {
    throw new RangeError(`expected a host name alone, got ${quote(withoutUser(given))}${placesOfRest(given)}`);
  }
  return given;
}

/**
 * @param {string} given a host name with more around it
 * @returns {string} where that belongs
 */
function placesOfRest(given) {
  const rest = given.replace(/^[A-Za-z]+:\/\//, '');
  const places = [
    rest === given ? '' : 'S3_USE_SSL says whether it is https',
    rest.includes('/') ? 'the bucket stands in S3_BUCKET' : '',
    /^[^:]*:\d+(\/|$)/.test(rest.slice(rest.lastIndexOf('@') + 1)) ? 'the port in S3_PORT' : '',
  ].filter((place) => place !== '');
  return places.length === 0 ? '' : `: ${places.join(', ')}`;
}
