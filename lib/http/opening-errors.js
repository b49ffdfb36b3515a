// What keeps a connection from being opened.

/**
 * @param {unknown} error
 * @returns {boolean} whether it is this host that could not open the connection, whatever the address
 */
export function isOurs(error) {
  return ['EMFILE', 'ENFILE'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '');
}

/** @param {number} timeout ms */
export function connectTimeoutError(timeout) {
  return Object.assign(new Error(`no connection within ${timeout}ms`), { code: 'UND_ERR_CONNECT_TIMEOUT' });
}

/** @returns {Error} as of a connection that was reset */
export function closedWhileOpening() {
  return Object.assign(new Error('the connection was closed while it was being opened'), { code: 'ECONNRESET' });
}
