import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, constants, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** @import { AddressInfo, Server } from 'node:net' */

/** sshd must be called by its absolute path. */
const SSHD = '/usr/sbin/sshd';

/** sshd needs this empty folder when run by root; Debian creates it when the service starts. */
const PRIVILEGE_SEPARATION_FOLDER = '/run/sshd';

/** Variables that npm needs on a host to reach its registry, if set. */
const VARIABLES_OF_NPM = ['NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

const execute = promisify(execFile);

/**
 * @typedef {object} SshHost
 * @property {string} name for ssh
 * @property {string} home its own home folder; the hosts share all other files of this machine
 */

/** Hosts for ssh. Each is an sshd of the current user with its own loopback address and home folder. */
class SshHosts {
  #servers;
  #folder;

  /**
   * @param {object} made
   * @param {string} made.folder removed at the end
   * @param {SshHost[]} made.hosts
   * @param {Server[]} made.servers
   * @param {string} made.config path of ssh's configuration file
   * @param {string} made.programs folder with an ssh that reads this configuration
   */
  constructor({ folder, hosts, servers, config, programs }) {
    this.hosts = hosts;
    this.config = config;
    this.programs = programs;
    this.#servers = servers;
    this.#folder = folder;
  }

  get names() {
    return this.hosts.map(({ name }) => name);
  }

  /**
   * Makes a host unreachable; its processes continue.
   *
   * @param {number} index
   */
  disconnect(index) {
    this.#servers[index].close();
  }

  async stop() {
    this.#servers.forEach((server) => server.close());
    await rm(this.#folder, { recursive: true });
  }
}

/**
 * @param {number} count
 * @returns {Promise<SshHosts>} a1, a2, a3 and so on
 * @throws {Error} if OpenSSH's server is not installed
 */
export async function startSshHosts(count) {
  await access(SSHD, constants.X_OK);
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-hosts-'));
  if (process.getuid?.() === 0) {
    await mkdir(PRIVILEGE_SEPARATION_FOLDER, { recursive: true, mode: 0o755 });
  }
  const identity = path.join(folder, 'identity');
  await makeKey(identity);
  const started = await Promise.all(Array.from({ length: count }, (_, index) => startHost(folder, index)));
  const config = path.join(folder, 'ssh_config');
  await writeFile(path.join(folder, 'known_hosts'), started.map(({ knownHost }) => knownHost).join(''));
  await writeFile(config, started.map(({ host, address, port }) => clientConfig(folder, host, address, port)).join(''));
  return new SshHosts({
    folder,
    hosts: started.map(({ host }) => host),
    servers: started.map(({ server }) => server),
    config,
    programs: await writeSshWrapper(folder, config),
  });
}

/**
 * @param {string} folder
 * @param {number} index
 */
async function startHost(folder, index) {
  const name = `a${index + 1}`;
  const address = `127.0.0.${index + 2}`;
  const home = path.join(folder, name);
  const hostKey = path.join(folder, `${name}.key`);
  const serverConfig = path.join(folder, `${name}.sshd_config`);
  await mkdir(home);
  await makeKey(hostKey);
  await writeFile(
    serverConfig,
    [
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${path.join(folder, 'identity.pub')}`,
      // Every user can write to the temporary folder.
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'Subsystem sftp internal-sftp',
      'LogLevel ERROR',
      `SetEnv ${Object.entries(hostEnvironment(home))
        .map(([variable, value]) => `"${variable}=${value}"`)
        .join(' ')}`,
      '',
    ].join('\n'),
  );
  // One sshd per connection, as with inetd: the system picks the port, and no daemon outlives the tests.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    spawn(SSHD, ['-i', '-f', serverConfig], { stdio: [socket, socket, 'inherit'] });
    socket.destroy();
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const publicKey = await readFile(`${hostKey}.pub`, 'utf8');
  return { host: { name, home }, address, port, server, knownHost: `[${address}]:${port} ${publicKey}` };
}

/** @param {string} file */
async function makeKey(file) {
  await execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
}

/**
 * @param {string} home
 * @returns {Record<string, string>} variables that differ from sshd's defaults
 */
function hostEnvironment(home) {
  const { PATH = '', npm_config_userconfig: userConfig, npm_config_cache: cache } = process.env;
  const passedOn = VARIABLES_OF_NPM.map((name) => [name, process.env[name] ?? '']).filter(([, value]) => value !== '');
  return {
    HOME: home,
    PATH,
    npm_config_userconfig: userConfig ?? path.join(homedir(), '.npmrc'),
    npm_config_cache: cache ?? path.join(homedir(), '.npm'),
    ...Object.fromEntries(passedOn),
  };
}

/**
 * @param {string} folder
 * @param {SshHost} host
 * @param {string} address
 * @param {number} port
 */
function clientConfig(folder, { name }, address, port) {
  return [
    `Host ${name}`,
    `HostName ${address}`,
    `Port ${port}`,
    `User ${userInfo().username}`,
    `IdentityFile ${path.join(folder, 'identity')}`,
    'IdentitiesOnly yes',
    `UserKnownHostsFile ${path.join(folder, 'known_hosts')}`,
    'StrictHostKeyChecking yes',
    'BatchMode yes',
    'LogLevel ERROR',
    '',
  ].join('\n');
}

/**
 * ssh reads its configuration from the user's home folder and ignores $HOME.
 *
 * @param {string} folder
 * @param {string} config
 * @returns {Promise<string>} the wrapper's folder
 */
async function writeSshWrapper(folder, config) {
  const { stdout } = await execute('sh', ['-c', 'command -v ssh']);
  const programs = path.join(folder, 'bin');
  const wrapper = path.join(programs, 'ssh');
  await mkdir(programs);
  await writeFile(wrapper, `#!/bin/sh\nexec ${stdout.trim()} -F ${config} "$@"\n`);
  await chmod(wrapper, 0o755);
  return programs;
}
