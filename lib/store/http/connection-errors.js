// Errors that prevent a connection from opening, or that end it.

const GIVEN_UP = 'ERR_CONNECTION_GIVEN_UP';
const PROXY_REFUSED = 'ERR_PROXY_REFUSED';

/** Whether the failure is unrelated to the store's address. @param {unknown} error */
export function isOurs(error) {
  return ['EMFILE', 'ENFILE', GIVEN_UP, PROXY_REFUSED].includes(
    /** @type {NodeJS.ErrnoException} */ (error).code ?? '',
  );
}

export function givenUpWhileOpening() {
  return Object.assign(new Error('the connection was abandoned while it was being opened'), { code: GIVEN_UP });
}

/** @param {number} timeout ms */
export function connectTimeoutError(timeout) {
  return Object.assign(new Error(`no connection within ${timeout}ms`), { code: 'ERR_CONNECT_TIMEOUT' });
}

/**
 * @param {string} message
 * @returns {Error} an error that looks like a connection reset
 */
export function connectionClosed(message) {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

export function closedWhileOpening() {
  return connectionClosed('the connection was closed before it was established');
}

/** @param {string} answer the proxy's response, for the message */
export function proxyRefused(answer) {
  return Object.assign(new Error(`the proxy did not open a tunnel: it answered ${answer}`), { code: PROXY_REFUSED });
}
