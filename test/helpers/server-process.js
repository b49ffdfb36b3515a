import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListBucketsCommand,
  paginateListObjectsV2,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent as HttpsAgent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.js';

/** @import { ChildProcessWithoutNullStreams } from 'node:child_process' */

export const ADDRESS = '127.0.0.1';

const READY_WITHIN = 30_000;
const POLL_INTERVAL = 100;

/**
 * Runs the given command until its standard input ends: when we close it, or when our process is gone for any reason. A killed
 * test must not leave its servers behind.
 */
export const UNTIL_INPUT_ENDS = `
  exec 3<&0
  "$@" 3<&- & server=$!
  { read -r _ <&3; kill -KILL "$server"; } & watcher=$!
  wait "$server"
  kill "$watcher"
`;

/**
 * @typedef {object} StoredObject
 * @property {string} key
 * @property {number} size bytes
 * @property {string} etag unquoted
 */

/**
 * Requests that a server has seen, by the operation's name in lower case, such as `putobject`.
 *
 * @typedef {Map<string, { requests: number, succeeded: number }>} RequestCounts
 */

/**
 * A real S3 server in a separate process, with its data in a temporary folder.
 */
export class TestServer {
  #child;
  #readCounts;
  #bucketCount = 0;
  #output = '';

  /**
   * @param {object} made
   * @param {string} made.name
   * @param {number} made.port
   * @param {ChildProcessWithoutNullStreams} made.child
   * @param {string} made.folder its data folder, removed when it stops
   * @param {string | null} made.certificate path of the certificate that a client must trust; null for plain HTTP
   * @param {S3Client} made.client
   * @param {{ accessKeyId: string, secretAccessKey: string }} made.credentials
   * @param {(server: TestServer) => Promise<RequestCounts>} made.readCounts
   */
  constructor({ name, port, child, folder, certificate, client, credentials, readCounts }) {
    this.name = name;
    this.folder = folder;
    this.hostname = ADDRESS;
    this.port = port;
    this.origin = originOf(port, certificate);
    this.certificate = certificate;
    this.credentials = credentials;
    this.client = client;
    this.#child = child;
    this.#readCounts = readCounts;
    child.stdout.on('data', (chunk) => (this.#output += chunk));
    child.stderr.on('data', (chunk) => (this.#output += chunk));
  }

  /**
   * Resolves once the server answers a signed request.
   *
   * @throws {Error} with the server's output if it ends or stays silent
   */
  async ready() {
    const deadline = performance.now() + READY_WITHIN;
    for (;;) {
      try {
        await this.client.send(new ListBucketsCommand({}));
        return;
      } catch (error) {
        if (this.#hasEnded() || performance.now() > deadline) {
          await this.stop();
          throw new Error(`${this.name} did not become ready (${error}); it printed: ${this.#output}`, {
            cause: error,
          });
        }
      }
      await wait(POLL_INTERVAL);
    }
  }

  /**
   * @param {number} count
   * @returns {Promise<string[]>} names of the new buckets
   */
  async createBuckets(count) {
    const names = Array.from({ length: count }, () => `bucket-${++this.#bucketCount}`);
    await Promise.all(names.map((name) => this.client.send(new CreateBucketCommand({ Bucket: name }))));
    return names;
  }

  /** @param {string} bucket whose objects anybody may read from now on */
  async publish(bucket) {
    const statement = {
      ...{ Effect: 'Allow', Principal: { AWS: ['*'] } },
      ...{ Action: ['s3:GetObject'], Resource: [`arn:aws:s3:::${bucket}/*`] },
    };
    const policy = { Version: '2012-10-17', Statement: [statement] };
    await this.client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify(policy) }));
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {string} body
   */
  async put(bucket, key, body) {
    await this.client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  }

  /**
   * @param {string} bucket
   * @returns {Promise<StoredObject[]>} all objects
   */
  async list(bucket) {
    const objects = [];
    for await (const page of paginateListObjectsV2({ client: this.client }, { Bucket: bucket })) {
      for (const { Key = '', Size = -1, ETag = '' } of page.Contents ?? []) {
        objects.push({ key: Key, size: Size, etag: ETag.replaceAll('"', '') });
      }
    }
    return objects;
  }

  /**
   * Starts a multipart upload and abandons it.
   *
   * @param {string} bucket
   * @param {string} key
   */
  async createUpload(bucket, key) {
    await this.client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
  }

  /**
   * @param {string} bucket
   * @returns {Promise<number>} its multipart uploads, up to a single page
   */
  async countUploads(bucket) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket });
    const { Uploads = [] } = await this.client.send(command).catch((error) => {
      // rclone's answer until a bucket has had an upload.
      assert.equal(error.name, 'NoSuchUpload');
      return { Uploads: [] };
    });
    return Uploads.length;
  }

  /**
   * @param {string} bucket
   * @param {'Enabled' | 'Suspended'} status
   */
  async setVersioning(bucket, status) {
    await this.client.send(
      new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: status } }),
    );
  }

  /**
   * @param {string} bucket
   * @returns {Promise<number>} its versions and delete markers, up to a thousand
   */
  async countVersions(bucket) {
    const { Versions = [], DeleteMarkers = [] } = await this.client.send(
      new ListObjectVersionsCommand({ Bucket: bucket }),
    );
    return Versions.length + DeleteMarkers.length;
  }

  /**
   * The server's own count of an operation's requests since it started.
   *
   * @param {string} operation in lower case, such as `putobject`
   */
  async countsOf(operation) {
    return (await this.#readCounts(this)).get(operation) ?? { requests: 0, succeeded: 0 };
  }

  async stop() {
    this.client.destroy();
    if (!this.#hasEnded()) {
      const exited = once(this.#child, 'exit');
      this.#child.stdin.destroy();
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  #hasEnded() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/**
 * @typedef {object} Recipe
 * @property {string} name of the program
 * @property {(folder: string) => Promise<string | null>} prepare sets up its folder; resolves to the path of the certificate, if any
 * @property {(credentials: { accessKeyId: string, secretAccessKey: string }) => Record<string, string>} environment
 * @property {(port: number, folder: string) => string[]} parameters
 * @property {(server: TestServer) => Promise<RequestCounts>} readCounts
 */

/**
 * @param {Recipe} recipe
 * @returns {Promise<TestServer>} ready
 * @throws {Error} if the program is not installed or does not become ready
 */
export async function startServer({ name, prepare, environment, parameters, readCounts }) {
  const program = findProgram(name);
  const folder = await mkdtemp(path.join(tmpdir(), `r2-benchmark-${name}-`));
  const certificate = await prepare(folder);
  const credentials = { accessKeyId: `access-${randomUUID().slice(0, 8)}`, secretAccessKey: randomUUID() };
  const port = await freePort();
  const child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', program, ...parameters(port, folder)], {
    env: { PATH: process.env.PATH, HOME: folder, ...environment(credentials) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const client = new S3Client({
    endpoint: originOf(port, certificate),
    region: 'auto',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler(
      certificate === null ? {} : { httpsAgent: new HttpsAgent({ keepAlive: true, ca: await readFile(certificate) }) },
    ),
  });
  const server = new TestServer({ name, port, child, folder, certificate, client, credentials, readCounts });
  await server.ready();
  return server;
}

/**
 * @param {number} port
 * @param {string | null} certificate
 */
function originOf(port, certificate) {
  return `${certificate === null ? 'http' : 'https'}://${ADDRESS}:${port}`;
}

/**
 * @param {string} name
 * @param {readonly string[]} [folders] another possible path
 * @returns {string} the program's path
 * @throws {Error} if it is not installed
 */
export function findProgram(name, folders = []) {
  const { R2_BENCHMARK_TOOLS: tools, PATH: searchPath = '' } = process.env;
  const program = [...(tools ? [tools] : []), ...searchPath.split(path.delimiter), ...folders]
    .map((folder) => path.join(folder, name))
    .find(isExecutable);
  if (program === undefined) {
    throw new Error(
      `${name} is not installed: expected in $R2_BENCHMARK_TOOLS (${tools || 'not set'}) or on $PATH; .ci/run builds it`,
    );
  }
  return program;
}

/** @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
