import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'dotenv';
import { adapt, documentedCommands } from './documented-commands.js';
import * as many from './many-hosts.js';

/** @import { TestContext } from 'node:test' */

const FOLDER = path.join(many.DEPLOY, 'kubernetes');
const OBJECTS = 400;

/** The oldest version that supports all fields of the manifest, and the newest that the validator supports. */
const VERSIONS = [['-k', '1.29'], []];

const server = await many.startStore();
after(() => server.stop());

/**
 * @param {string} file
 * @returns {Promise<any>}
 */
async function readManifest(file) {
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)';
  const { status, stdout, stderr } = await many.run('python3', ['-c', toJson, file], { cwd: FOLDER });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/**
 * Runs the steps of the Dockerfile, each stage in its own folder in place of its WORKDIR.
 *
 * @param {TestContext} t
 * @returns {Promise<{ image: string, entrypoint: string[] }>}
 */
async function layOutImage(t) {
  const dockerfile = await readFile(path.join(FOLDER, 'Dockerfile'), 'utf8');
  const lines = dockerfile.replace(/\\\n/g, '').split('\n');
  const parent = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-image-'));
  t.after(() => rm(parent, { recursive: true }));
  let image = '';
  for (const line of lines) {
    const [instruction, ...words] = line.split(' ');
    if (instruction === 'FROM') {
      image = path.join(parent, words[2] ?? 'image');
      await mkdir(image);
    } else if (instruction === 'COPY' && words[0] === '--from=dependencies') {
      assert.deepEqual(words.slice(1), ['/r2-benchmark', './']);
      await cp(path.join(parent, 'dependencies'), image, { recursive: true });
    } else if (instruction === 'COPY') {
      const [target, ...sources] = words.toReversed();
      for (const name of sources.map((source) => source.replace(/\*$/, ''))) {
        await cp(path.join(many.ROOT, name), path.join(image, target === './' ? name : target), { recursive: true });
      }
    } else if (instruction === 'RUN') {
      const { status, stderr } = await many.run('sh', ['-c', words.join(' ')], { cwd: image });
      assert.equal(status, 0, stderr);
    }
  }
  const [entrypoint] = lines.filter((line) => line.startsWith('ENTRYPOINT '));
  return { image, entrypoint: JSON.parse(entrypoint.slice('ENTRYPOINT '.length)) };
}

/**
 * @param {any} container of the manifest
 * @param {Record<string, string>} secret
 * @param {number} index
 * @param {string} uid of the Job
 * @returns {Record<string, string>} the environment that the kubelet would set
 */
function environmentOf(container, secret, index, uid) {
  const fields = {
    "metadata.labels['batch.kubernetes.io/controller-uid']": uid,
    'status.podIP': `127.0.0.${index + 1}`,
  };
  const own = container.env.map((/** @type {any} */ { name, value, valueFrom }) => [
    name,
    value ?? /** @type {Record<string, string>} */ (fields)[valueFrom.fieldRef.fieldPath],
  ]);
  return { ...secret, ...Object.fromEntries(own), JOB_COMPLETION_INDEX: `${index}` };
}

/**
 * @param {string} argument
 * @param {Record<string, string>} env
 * @returns {string} the argument with variables substituted
 */
function expand(argument, env) {
  return argument.replace(/\$\(([A-Z_]+)\)/g, (reference, name) => env[name] ?? reference);
}

/** A kubectl that prints the logs of an indexed Job's pods, and reports the Job as complete. */
const STAND_IN_FOR_KUBECTL = `#!/bin/sh
cd "$PODS" || exit
case "$*" in
'get job/r2-benchmark --output jsonpath={.status.conditions[*].type}') echo SuccessCriteriaMet Complete ;;
'get pods --selector batch.kubernetes.io/job-name=r2-benchmark --output name') printf 'pod/%s\\n' r2-benchmark-* ;;
'logs pod/r2-benchmark-'?-?????) cat "\${2#pod/}" ;;
'create '*) ;;
*) echo "unexpected: kubectl $*" >&2; exit 1 ;;
esac
`;

/**
 * @param {TestContext} t
 * @param {readonly string[]} logs one for each pod
 * @returns {Promise<{ folder: string, env: Record<string, string> }>} an empty folder, and an environment with kubectl
 */
async function standInForKubectl(t, logs) {
  const parent = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-kubectl-'));
  t.after(() => rm(parent, { recursive: true }));
  const [folder, bin, pods] = ['user', 'bin', 'pods'].map((name) => path.join(parent, name));
  await Promise.all([folder, bin, pods].map((each) => mkdir(each)));
  await writeFile(path.join(bin, 'kubectl'), STAND_IN_FOR_KUBECTL, { mode: 0o755 });
  await Promise.all(logs.map((log, index) => writeFile(path.join(pods, `r2-benchmark-${index}-x7k2p`), log)));
  return { folder, env: { PODS: pods, PATH: `${bin}${path.delimiter}${process.env.PATH}` } };
}

for (const version of VERSIONS) {
  test(`the manifests are valid for Kubernetes ${version[1] ?? 'latest'}, without unknown fields`, async () => {
    const files = ['job.yml', 'secret.example.yml'];

    const { status, stdout, stderr } = await many.run('kubernetes-validate', ['--strict', ...version, ...files], {
      cwd: FOLDER,
    });

    assert.equal(status, 0, `${stdout}${stderr}`);
  });
}

test('hadolint accepts the Dockerfile', async () => {
  assert.deepEqual(await many.run('hadolint', ['Dockerfile'], { cwd: FOLDER }), { status: 0, stdout: '', stderr: '' });
});

test('the Job has the same number of pods in three places', async () => {
  const { spec } = await readManifest('job.yml');
  const [container] = spec.template.spec.containers;

  const counts = [spec.completions, spec.parallelism, Number(environmentOf(container, {}, 0, '').JOB_COMPLETIONS)];
  assert.equal(new Set(counts).size, 1, `${counts}`);
});

test('the image runs as the Job’s pods call it, and the documented command prints the merged result', async (t) => {
  const store = await many.newStore(server);
  const { image, entrypoint } = await layOutImage(t);
  const [{ spec }, { stringData }] = await Promise.all([readManifest('job.yml'), readManifest('secret.example.yml')]);
  const [container] = spec.template.spec.containers;
  const secret = { ...stringData, ...parse(store.dotEnv) };
  const uid = randomUUID();
  const start = Math.floor(Date.now() / 1000) + 25;
  const adapted = adapt(container.args.join(' '), {
    '10000 1000': `${OBJECTS} 10`,
    '=next:2m': `=${start}`,
  });
  const earlier = await store.puts();

  const pods = await Promise.all(
    Array.from({ length: spec.completions }, (_, index) => {
      const env = environmentOf(container, secret, index, uid);
      const [program, ...parameters] = [...entrypoint, ...adapted.split(' ')].map((argument) => expand(argument, env));
      return many.run(program, parameters, { cwd: image, env });
    }),
  );

  pods.forEach(({ status, stdout, stderr }) => assert.equal(status, 0, `${stdout}${stderr}`));
  // A pod's log contains both of its streams.
  const kubectl = await standInForKubectl(
    t,
    pods.map(({ stdout, stderr }) => stderr + stdout),
  );
  await many.installByLink(kubectl.folder, '');
  const commands = ['-e', '-c', await documentedCommands('Kubernetes')];
  const total = await many.run('bash', commands, { cwd: kubectl.folder, env: kubectl.env });
  assert.equal(total.status, 0, total.stderr);
  const logs = pods.map(({ stdout }) => stdout);
  many.assertOneRun(logs, { objects: OBJECTS, hosts: spec.completions, printed: total.stdout });
  assert.ok(logs.every((log) => log.includes(uid)));
  many.assertPuts((await store.puts()) - earlier, { objects: OBJECTS, hosts: spec.completions });
  await store.assertEmpty();
});
