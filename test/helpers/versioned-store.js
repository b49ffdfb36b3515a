import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} Version
 * @property {string} id
 * @property {Buffer | null} body null for a delete marker
 *
 * @typedef {object} VersionedStoreOptions
 * @property {'Enabled' | 'Suspended' | 'R2'} [status] R2 returns a version ID for writes, but keeps no versions
 * @property {boolean} [reportsStatus] false: the request for the status fails with 403
 * @property {number} [pageLength] versions per page
 * @property {boolean} [listsVersions] false: the list of versions is another document
 */

const EMPTY = '';

/**
 * A versioned store like S3: overwriting or deleting an object keeps its versions, unless a deletion names one. It checks no
 * signatures.
 */
class VersionedStore {
  #options;
  /** Newest version of each key first. @type {Map<string, Version[]>} */
  versions = new Map();
  /** @type {string[]} methods of the requests, or `LIST`, `VERSIONS`, `VERSIONING` */
  requests = [];
  /** Whether a version may be removed. @type {(key: string, id: string) => boolean} */
  mayRemove = () => true;
  port = 0;
  #made = 0;

  /** @param {VersionedStoreOptions} options */
  constructor({ status = 'Enabled', reportsStatus = true, pageLength = 1000, listsVersions = true }) {
    this.#options = { status, reportsStatus, pageLength, listsVersions };
  }

  get dotEnv() {
    const lines = ['S3_BUCKET=bucket-a', 'S3_HOSTNAME=127.0.0.1', `S3_PORT=${this.port}`, 'S3_USE_SSL=0'];
    return [...lines, 'S3_ACCESS_KEY=test-access-key', 'S3_SECRET_KEY=test-secret-key', ''].join('\n');
  }

  /** @param {string} name of a request */
  countOf(name) {
    return this.requests.filter((request) => request === name).length;
  }

  get size() {
    return [...this.versions.values()].reduce((sum, list) => sum + list.length, 0);
  }

  /**
   * @param {http.IncomingMessage} request
   * @param {http.ServerResponse} response
   */
  async answer(request, response) {
    const url = new URL(String(request.url), 'http://store');
    const key = decodeURIComponent(url.pathname).replace(/^\/bucket-a\/?/, '');
    const body = await buffer(request);
    const isRefused = request.headers['if-none-match'] === '*' && this.versions.get(key)?.[0].body;
    const name = isRefused ? 'REFUSED' : nameOf(String(request.method), key, url.searchParams);
    this.requests.push(name);
    const { status = 200, headers = {}, text = EMPTY } = this.#carryOut(name, key, body, url.searchParams);
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(text), ...headers });
    response.end(name === 'HEAD' ? undefined : text);
  }

  /**
   * @param {string} name
   * @param {string} key
   * @param {Buffer} body
   * @param {URLSearchParams} query
   * @returns {{ status?: number, headers?: Record<string, string | number>, text?: string | Buffer }}
   */
  #carryOut(name, key, body, query) {
    const [newest] = this.versions.get(key) ?? [];
    switch (name) {
      case 'PUT':
        return { headers: { ETag: etagOf(body), 'x-amz-version-id': this.#add(key, body) } };
      case 'REFUSED':
        return refusal(412, 'PreconditionFailed');
      case 'UPLOADS':
        return refusal(501, 'NotImplemented');
      case 'DELETE':
        if (this.#options.status === 'R2') {
          this.versions.delete(key);
          return { status: 204 };
        }
        return { status: 204, headers: { 'x-amz-delete-marker': 'true', 'x-amz-version-id': this.#add(key, null) } };
      case 'GET':
      case 'HEAD': {
        if (newest === undefined || newest.body === null) {
          return refusal(404, 'NoSuchKey');
        }
        const { body: content, id } = newest;
        /** @type {Record<string, string>} */
        const version = this.#options.status === 'R2' ? {} : { 'x-amz-version-id': id };
        return { headers: { ETag: etagOf(content), 'Content-Length': content.length, ...version }, text: content };
      }
      case 'LIST':
        return { text: this.#list(String(query.get('prefix')), query.get('start-after') ?? EMPTY) };
      case 'VERSIONS':
        return { text: this.#options.listsVersions ? this.#listVersions(query) : '<ListBucketVersionsResult/>' };
      case 'POST':
        return { text: this.#deleteAll(body.toString()) };
      default:
        if (this.#options.reportsStatus && this.#options.status === 'R2') {
          return refusal(501, 'NotImplemented');
        }
        return this.#options.reportsStatus
          ? { text: `<VersioningConfiguration><Status>${this.#options.status}</Status></VersioningConfiguration>` }
          : refusal(403, 'AccessDenied');
    }
  }

  /**
   * @param {string} key
   * @param {Buffer | null} body
   * @returns {string} the version's ID
   */
  #add(key, body) {
    const id = this.#options.status === 'Suspended' ? 'null' : `v${++this.#made}`;
    const others = (this.versions.get(key) ?? []).filter((version) => version.id !== id);
    this.versions.set(key, [{ id, body }, ...(this.#options.status === 'R2' ? [] : others)]);
    return id;
  }

  /**
   * @param {string} prefix
   * @param {string} after
   */
  #list(prefix, after) {
    const objects = [...this.versions].filter(
      ([key, [{ body }]]) => body !== null && key.startsWith(prefix) && key > after,
    );
    const contents = objects
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, [{ body }]]) => `<Contents><Key>${key}</Key><Size>${body?.length}</Size></Contents>`);
    return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
  }

  /** @param {URLSearchParams} query */
  #listVersions(query) {
    const marker = query.get('key-marker') ?? EMPTY;
    const idMarker = query.get('version-id-marker');
    const all = [...this.versions.keys()]
      .sort()
      .flatMap((key) =>
        (this.versions.get(key) ?? []).map(({ id, body }, place) => ({ key, id, body, isLatest: place === 0 })),
      );
    const inKey = all.filter(({ key }) => key === marker);
    const afterId = idMarker === null ? [] : inKey.slice(inKey.findIndex(({ id }) => id === idMarker) + 1);
    const found = [...afterId, ...all.filter(({ key }) => key > marker)].filter(({ key }) =>
      key.startsWith(String(query.get('prefix'))),
    );
    const page = found.slice(0, this.#options.pageLength);
    const last = page[page.length - 1];
    const next =
      page.length < found.length
        ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextVersionIdMarker>${last.id}</NextVersionIdMarker>`
        : EMPTY;
    const entries = page.map(({ key, id, body, isLatest }) => {
      const name = body === null ? 'DeleteMarker' : 'Version';
      return `<${name}><Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest></${name}>`;
    });
    return `<ListVersionsResult><IsTruncated>${next !== EMPTY}</IsTruncated>${next}${entries.join('')}</ListVersionsResult>`;
  }

  /** @param {string} document */
  #deleteAll(document) {
    const entries = [];
    const isQuiet = document.includes('<Quiet>true');
    for (const [, key, , id] of document.matchAll(/<Key>([^<]*)<\/Key>(<VersionId>([^<]*)<\/VersionId>)?/g)) {
      if (id === undefined) {
        this.#add(key, null);
      } else if (this.mayRemove(key, id)) {
        const left = (this.versions.get(key) ?? []).filter((version) => version.id !== id);
        this.versions[left.length === 0 ? 'delete' : 'set'](key, left);
      } else {
        entries.push(`<Error><Key>${key}</Key><VersionId>${id}</VersionId><Code>AccessDenied</Code></Error>`);
        continue;
      }
      entries.push(isQuiet ? '' : `<Deleted><Key>${key}</Key></Deleted>`);
    }
    return `<DeleteResult>${entries.join('')}</DeleteResult>`;
  }
}

/**
 * @param {TestContext} t
 * @param {VersionedStoreOptions} [options]
 */
export async function startVersionedStore(t, options = {}) {
  const store = new VersionedStore(options);
  const server = http.createServer((request, response) => void store.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  store.port = /** @type {AddressInfo} */ (server.address()).port;
  return store;
}

/**
 * @param {string} method
 * @param {string} key
 * @param {URLSearchParams} query
 */
function nameOf(method, key, query) {
  if (key !== EMPTY || method === 'POST') {
    return method;
  }
  if (query.has('list-type')) {
    return 'LIST';
  }
  if (query.has('uploads')) {
    return 'UPLOADS';
  }
  return query.has('versions') ? 'VERSIONS' : 'VERSIONING';
}

/** @param {Buffer} body */
function etagOf(body) {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/**
 * @param {number} status
 * @param {string} code
 */
function refusal(status, code) {
  return { status, text: `<Error><Code>${code}</Code><Message>So it is.</Message></Error>` };
}
