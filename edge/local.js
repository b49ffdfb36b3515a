// Runs the Worker on workerd with its own temporary R2 until stopped: npm run edge:local [bucket …]
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const { Log, LogLevel, Miniflare } = await import('miniflare').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') {
    throw error;
  }
  process.stderr.write('error: the package miniflare is not installed: run `npm run edge:install` first\n');
  process.exit(2);
});

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const buckets = process.argv.length > 2 ? process.argv.slice(2) : ['local'];
const {
  EDGE_SECRET = randomBytes(20).toString('hex'),
  EDGE_PREFIX,
  EDGE_LOCAL_PORT = '0',
  EDGE_LOCAL_BEHAVIOUR = '{}',
  EDGE_LOCAL_KEY,
  EDGE_LOCAL_CERTIFICATE,
} = process.env;

const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: Number(EDGE_LOCAL_PORT),
  httpsKeyPath: EDGE_LOCAL_KEY,
  httpsCertPath: EDGE_LOCAL_CERTIFICATE,
  log: new Log(LogLevel.ERROR),
  compatibilityDate: '2026-04-01',
  compatibilityFlags: ['nodejs_compat'],
  modules: true,
  modulesRoot: ROOT,
  modulesRules: [{ type: 'ESModule', include: ['**/*.js'] }],
  scriptPath: path.join(ROOT, 'edge/local-worker.js'),
  bindings: {
    EDGE_SECRET,
    EDGE_HOSTS: '127.0.0.1,localhost',
    BEHAVIOUR: JSON.parse(EDGE_LOCAL_BEHAVIOUR),
    ...(EDGE_PREFIX === undefined ? {} : { EDGE_PREFIX }),
  },
  r2Buckets: Object.fromEntries(buckets.map((bucket) => [`R2_${bucket.replaceAll('-', '_')}`, bucket])),
});

// Miniflare ends workerd when the process exits, and exits on SIGINT and SIGTERM, but not when the terminal closes.
process.on('SIGHUP', () => process.exit(129));

const url = await miniflare.ready;
process.stdout.write(`EDGE_URL=${url.origin}\nEDGE_SECRET=${EDGE_SECRET}\nS3_BUCKET=${buckets.join(',')}\n`);
