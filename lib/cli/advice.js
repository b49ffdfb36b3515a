import { ROWS, flagOf } from '../options/table.js';
import { isVariable } from '../series/sweep-plan.js';
import { plainLine } from '../text/plain-text.js';

/** @import { OptionRow } from '../options/table.js' */

/** Options that are gone. @type {Readonly<Record<string, string>>} */
const GONE = Object.freeze({
  '--append': 'use | tee -a FILE',
  '--log-append': 'use | tee -a FILE',
  '--init': 'use the command init',
  '--list': 'use the command cleanup list',
  '--until-stable': 'use --duration',
  '--assert-file': 'repeat --assert',
  '--otlp-url': 'set OTEL_EXPORTER_OTLP_ENDPOINT, and use --otlp',
  '--no-live': 'set TERM=dumb',
  '--checksum': 'use --client sdk --sdk-defaults, which sends the CRC32 of applications',
  '--ramp-hosts': 'merge the logs of runs with one, two and three hosts',
  '--target': 'run with 1, 2 and 4 buckets in --bucket, and compare the results',
  '--calibrate': "use --local, which shows the client's own rate",
  '--through': '--client edge already sends each operation to the Worker',
});

/** Options of other tools, and their equivalents for a load. */
const ADVICE = Object.freeze({
  '--objects --count --requests --num-objects -n': 'the number of objects is the first argument: 10000 1000',
  '--threads --concurrency --vus --concurrent --connections --workers --parallel -c -t -j -p -w':
    'the number of threads is the second argument: 10000 1000; to try several, use sweep --vary threads=1,8,64',
  '--object-size --obj.size --obj-size --block-size -s -b': 'use --size',
  '--time --run-time --runtime --autoterm -d': 'use --duration',
  '--qps --rps --ops --throughput -r -q': 'use --rate',
  '--operations --operation --op --tests --stage --only': 'use --stages',
  '--host --hostname --endpoint --url -u': 'use --endpoint-url, or S3_HOSTNAME in .env',
  '--access-key --secret-key --key --secret --token': 'put credentials into .env, or use --profile',
  '--tls --ssl --no-ssl --no-tls --insecure -k': 'set S3_USE_SSL in .env, or use --endpoint-url',
  '--output --out --save --export -o -O': 'use --log, --json or --report',
  '--format --output-format': 'use --json, --csv, --report, --summary or --junit',
  '--no-color --no-colour --color': 'set NO_COLOR=1',
  '--verbose --debug -v': 'set R2_BENCHMARK_DEBUG=1, or use --version for the version',
  '-V': 'use --version',
  '--silent --no-progress': 'use --quiet',
  '--prometheus --grafana --metrics': 'use --metrics-port',
  '--threshold --fail --fail-on --max-latency --p99': "use --assert, as in --assert 'read.p99 < 50ms'",
  '--noclear --no-clear --keep-data --no-cleanup --no-remove': 'use --keep',
  '--cpus --cpu --processes': 'use --cores',
  '--seed': 'payloads are derived from --run-id',
  '--compare --diff': 'use the command compare',
  '--merge': 'use the command merge',
  '--sweep --matrix --grid --scan --param --parameter-list --parameter-scan -L -P':
    'use the command sweep, as in sweep 2000 64 --vary size=4KiB,64KiB --vary threads=1,8,64',
  '--variable --values --axis': 'use sweep with --vary size=4KiB,64KiB',
});

/**
 * @param {string} message from commander, about an unknown option, argument or command
 * @param {boolean} [takesLoad] whether the command has the arguments and options of a run
 * @returns {string} one line that suggests what to type instead
 */
export function advised(message, takesLoad = false) {
  const line = message
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const flag = /^unknown option '([^'=]*)/.exec(line)?.[1];
  const advice = flag && (takesLoad ? adviceOn(flag) : GONE[flag]);
  if (advice) {
    return `unknown option ${flag}: ${advice}`;
  }
  if (takesLoad && line.startsWith('too many arguments')) {
    return 'too many arguments: expected <objects> <threads> (sweep: also --vary size=4KiB,64KiB, with =)';
  }
  const row = Object.values(ROWS).find((each) => flagOf(each) === flag);
  if (row !== undefined) {
    return `${flag} does not apply here: it belongs to ${commandsOf(row).join(', ')}`;
  }
  if (/^unknown option/.test(line) && !line.includes('(Did you mean')) {
    return `${line}: --help all shows every option`;
  }
  return line;
}

/**
 * @param {readonly string[]} problems
 * @param {Readonly<Record<string, any>>} given options and arguments by name, as the user typed them
 * @returns {string[]} with advice for an option that was given several values
 */
export function withSweepAdvice(problems, given) {
  return problems.map((problem) => {
    const [, label] = /^(?:--|<)([a-z-]+)>?: /.exec(problem) ?? [];
    const name = label?.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
    const isList = name !== undefined && isVariable(label, String(given[name]));
    return isList ? `${problem}; to try each, use sweep --vary ${label}=${given[name]}` : problem;
  });
}

/** @param {string} flag */
export function adviceOn(flag) {
  return GONE[flag] ?? Object.entries(ADVICE).find(([flags]) => flags.split(' ').includes(flag))?.[1];
}

/** @param {OptionRow} row */
function commandsOf({ of = [], only }) {
  const names = only ?? ['a run', ...of];
  return names.map((name) => (name === 'side' ? '--a and --b' : name));
}

/**
 * Commander echoes rejected arguments verbatim, so they must be sanitized.
 *
 * @param {string} text
 * @param {(text: string) => void} write
 * @param {boolean} takesLoad as in {@link advised}
 */
export function writeCommanderError(text, write, takesLoad) {
  write(`error: ${plainLine(advised(text, takesLoad))}\n`);
}
