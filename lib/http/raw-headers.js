// Headers as undici's parser hands them over, unparsed: name, value, name, value, …

/**
 * @param {Buffer} name
 * @param {string} lowerCase letters and hyphens: setting bit 5 makes the one lower case and leaves the other as it is
 */
export function isNamed(name, lowerCase) {
  for (let place = 0; place < lowerCase.length; place++) {
    if ((name[place] | 0x20) !== lowerCase.charCodeAt(place)) {
      return false;
    }
  }
  return name.length === lowerCase.length;
}

/**
 * @param {Buffer[]} headers name, value, name, value, …
 * @param {string} lowerCase
 * @returns {string | null}
 */
export function headerOf(headers, lowerCase) {
  const place = headers.findIndex((name, at) => at % 2 === 0 && isNamed(name, lowerCase));
  return place < 0 ? null : headers[place + 1].toString('latin1');
}
