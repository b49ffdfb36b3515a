import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { freePort } from '../helpers/free-port.js';
import { ADDRESS, UNTIL_INPUT_ENDS } from '../helpers/server-process.js';
import { run, until } from './many-hosts.js';

/** @import { ChildProcess } from 'node:child_process' */

/** Debian's folder for daemons, which is not on every user's $PATH. */
const DAEMONS = '/usr/sbin';

/** A Slurm cluster on this machine: a controller, and a slurmd per node. */
class SlurmCluster {
  #folder;
  #daemons;

  /**
   * @param {object} made
   * @param {string} made.folder removed at the end
   * @param {string} made.config path of slurm.conf
   * @param {ChildProcess[]} made.daemons
   */
  constructor({ folder, config, daemons }) {
    this.env = { SLURM_CONF: config };
    this.#folder = folder;
    this.#daemons = daemons;
  }

  /**
   * @param {number} nodes
   * @returns {Promise<boolean>} whether that many nodes are idle
   */
  async hasIdle(nodes) {
    const { stdout } = await run('sinfo', ['--noheader', '--states=idle', '--format=%D'], {
      cwd: this.#folder,
      env: this.env,
    });
    return Number(stdout) === nodes;
  }

  async stop() {
    for (const daemon of this.#daemons.toReversed()) {
      const ended = once(daemon, 'exit');
      daemon.stdin?.destroy();
      await ended;
    }
    await rm(this.#folder, { recursive: true });
  }
}

/**
 * @param {number} nodes
 * @returns {Promise<SlurmCluster>} with all nodes idle
 * @throws {Error} if Slurm does not start
 */
export async function startSlurm(nodes) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-slurm-'));
  // munged requires a socket that all users can reach.
  await chmod(folder, 0o755);
  const inFolder = (/** @type {string} */ name) => path.join(folder, name);
  const config = inFolder('slurm.conf');
  const names = Array.from({ length: nodes }, (_, index) => `node${index}`);
  await Promise.all(names.map((name) => mkdir(inFolder(name))));
  await writeFile(inFolder('munge.key'), randomBytes(1024), { mode: 0o600 });
  await writeFile(config, await slurmConfig(folder, names));
  const munge = ['socket', 'log-file', 'pid-file', 'seed-file'].map((name) => `--${name}=${inFolder(`munge.${name}`)}`);
  const env = { SLURM_CONF: config };
  const daemons = [
    startDaemon('munged', ['--foreground', `--key-file=${inFolder('munge.key')}`, ...munge], env),
    startDaemon('slurmctld', ['-D'], env),
    ...names.map((name) => startDaemon('slurmd', ['-D', '-N', name], env)),
  ];
  const cluster = new SlurmCluster({ folder, config, daemons });
  await until(() => cluster.hasIdle(nodes), `${nodes} idle nodes`);
  return cluster;
}

/**
 * @param {string} folder
 * @param {readonly string[]} names of the nodes
 */
async function slurmConfig(folder, names) {
  const user = userInfo().username;
  const ports = await Promise.all(names.map(freePort));
  return [
    'ClusterName=test',
    'SlurmctldHost=localhost',
    `SlurmctldPort=${await freePort()}`,
    'CommunicationParameters=NoCtldInAddrAny,NoInAddrAny',
    `SlurmUser=${user}`,
    `SlurmdUser=${user}`,
    'AuthType=auth/munge',
    `AuthInfo=socket=${folder}/munge.socket`,
    `StateSaveLocation=${folder}`,
    `SlurmdSpoolDir=${folder}/%n`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/%n.pid`,
    `SlurmctldLogFile=${folder}/slurmctld.log`,
    `SlurmdLogFile=${folder}/%n.log`,
    // Without control groups, which belong to systemd.
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'ReturnToService=2',
    'SchedulerParameters=batch_sched_delay=1,sched_interval=1',
    ...names.map(
      (name, index) => `NodeName=${name} NodeHostname=localhost NodeAddr=${ADDRESS} Port=${ports[index]} CPUs=1`,
    ),
    'PartitionName=all Nodes=ALL Default=YES',
    '',
  ].join('\n');
}

/**
 * @param {string} name
 * @param {readonly string[]} parameters
 * @param {Record<string, string>} env
 */
function startDaemon(name, parameters, env) {
  return spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', path.join(DAEMONS, name), ...parameters], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
