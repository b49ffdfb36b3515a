import path from 'node:path';
import { Command, Help, Option } from 'commander';
import { RUN_OPTIONS, readOptions } from '../options/read-options.js';
import { GROUPS, RESULT_OPTIONS, ROWS, flagOf, optionsOf } from '../options/table.js';
import { OPERATIONS } from '../load/operations/registry.js';
import { MIXED_STAGE, PREPARE_STAGE, REPLAY_STAGE } from '../load/operations/stage.js';
import { quote } from '../text/quote.js';
import { readThresholds } from '../result/thresholds/threshold.js';
import { advised, adviceOn, withSweepAdvice, writeCommanderError } from './advice.js';
import { COMMANDS, COMMAND_NAMES, SHELLS, afterHelp, helpTopicIn, usageOfCommands } from './help.js';
import { DEFAULT_FILE, FROM_CLONE } from '../options/store/environment.js';
import { VERSION } from '../store/object-store.js';
import { UsageError, problemsOfAll, refuseIfAny } from '../options/usage-error.js';

/**
 * @import { MixedShare } from '../result/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { CommandName } from '../options/table.js'
 * @import { RunOptions } from '../run/run-options.js'
 * @import { Threshold } from '../result/thresholds/threshold.js'
 * @import { Invocation } from '../options/store/environment.js'
 * @import { Shell } from './help.js'
 */

/**
 * The options of every command that uses a store. `objects` and `threads` are undefined for
 * commands without a load.
 *
 * @typedef {OptionValues & Checked} CommandLine
 *
 * @typedef {object} Checked
 * @property {Readonly<Record<string, string>>} results requested result files by option
 * @property {readonly Threshold[]} thresholds from --assert
 * @property {RunOptions} given the options of a run, as the user typed them
 *
 * @typedef {Pick<CommandLine, 'results' | 'severalRuns' | 'thresholds' | 'baseline' | 'reference'> &
 *   { files: readonly string[] }} MergeOptions
 *
 * @typedef {Pick<CommandLine, 'margin' | 'force' | 'json' | 'report' | 'thresholds' | 'reference'> &
 *   { results: readonly string[] }} CompareOptions `results`: the files or folders of at least two runs
 *
 * @typedef {Pick<CommandLine, 'quads' | 'margin' | 'maxCost' | 'json' | 'report' | 'quiet'> &
 *   Record<'a' | 'b', SideOptions>} AbOptions
 * @typedef {{ words: readonly string[], options: CommandLine }} SideOptions `words` is the value of --a or --b, split
 *   into words; `options` combines the common options with the side's own
 *
 * @typedef {{ operands: readonly string[], given: Given, problems: readonly string[], hint: string }} SweepArguments
 *   as the user typed them, because a sweep also reads options from a file
 *
 * @typedef {{ command: 'merge', options: MergeOptions } | { command: 'report', options: MergeOptions } |
 *   { command: 'compare', options: CompareOptions } |
 *   { command: 'ab', options: AbOptions } |
 *   { command: 'sweep', options: SweepArguments } |
 *   { command: 'completion', options: { shell: Shell } } |
 *   { command: 'init', options: { file: string } } |
 *   { command: LoadCommand, options: CommandLine }} Request
 * @typedef {'run' | 'quick' | 'traffic' | 'cleanup' | 'list'} LoadCommand
 * @typedef {{ stdout: { write: (text: string) => unknown }, stderr: { write: (text: string) => unknown } }} Outputs
 * @typedef {Readonly<Record<string, any>>} Given options by name, as the user typed them
 */

const HELP_WIDTH = 100;

/** The load of `quick`, which spends at most $0.05 on R2 and about a minute; it lowers the threads to fit the store. */
export const QUICK = Object.freeze({
  objects: 5000,
  threads: 256,
  duration: '8s',
  maxOperations: 30_000,
  maxCost: 0.05,
});

/**
 * @param {readonly string[]} given the arguments, without the names of Node and of the program
 * @param {Outputs} outputs
 * @param {Invocation} [invocation]
 * @returns {Request}
 * @throws {UsageError} with every problem
 * @throws {CommanderError} for help, version and unknown options
 */
export function readCommandLine(given, outputs, invocation = FROM_CLONE) {
  const { benchmark } = invocation;
  if (given.length === 0) {
    throw new UsageError(
      [`expected a command, or <objects> <threads>; start with: ${benchmark} quick --local`],
      helpHint(benchmark),
    );
  }
  const argv = withCleanup(given);
  refuseKnownWord(argv[0], benchmark);
  const { topic, parameters } = helpTopicIn(argv, helpHint(benchmark));
  const program = newCommand('run', benchmark, outputs, topic.isGrouped)
    .usage(`<objects> <threads> [options]${topic.isGrouped ? '' : usageOfCommands(benchmark)}`)
    .argument('[objects]')
    .argument('[threads]')
    .configureHelp({
      helpWidth: HELP_WIDTH,
      visibleArguments: () => [],
      visibleCommands: () => [],
      visibleOptions: (command) =>
        new Help().visibleOptions(command).filter((option) => topic.shows(option.attributeName())),
    })
    .addHelpText('after', topic.after ?? afterHelp('run', invocation))
    .showHelpAfterError(`(${helpHint(benchmark)})`)
    // Options after the name of a command belong to that command.
    .enablePositionalOptions()
    .helpCommand(false);
  /** @type {Request | null} */
  let request = null;
  program.action(() => {
    request = loadRequest('run', program.args, optionsGiven(program), benchmark);
  });
  program.hook('preSubcommand', (_, command) => refuseOptionsBefore(optionsGiven(program), command.name(), benchmark));
  for (const name of COMMAND_NAMES) {
    const words = `${benchmark} ${name}`;
    const command = newCommand(name, name, outputs, name === 'quick')
      .addHelpText('after', afterHelp(name, invocation))
      .showHelpAfterError(`(${helpHint(words)})`);
    program.addCommand(command);
    command.action(() => {
      request = requestOf(name, command.args, optionsGiven(command), words);
    });
  }
  program.parse(parameters, { from: 'user' });
  return /** @type {Request} */ (/** @type {unknown} */ (request));
}

/**
 * @param {readonly string[]} argv
 * @param {Outputs} outputs
 * @param {Invocation} [invocation]
 * @returns {Request}
 * @throws {UsageError}
 * @throws {CommanderError} for help, version and unknown options
 */
export function readMergeCommandLine(argv, outputs, invocation = FROM_CLONE) {
  const { peak } = invocation;
  const command = newCommand('merge', peak, outputs)
    .addHelpText('after', afterHelp('merge', invocation, peak))
    .showHelpAfterError(`(${helpHint(peak)})`);
  command.parse(argv, { from: 'user' });
  return { command: 'merge', options: filesRequest(command.args, optionsGiven(command), peak) };
}

/** `--cleanup <run-id>` is the command, and `cleanup --list` is `cleanup list`. @param {readonly string[]} argv */
function withCleanup(argv) {
  const at = argv.findIndex((word) => /^--cleanup(=|$)/.test(word));
  const words =
    at < 0 ? argv : ['cleanup', ...argv.slice(0, at), ...argv[at].split('=').slice(1), ...argv.slice(at + 1)];
  return words[0] === 'cleanup' ? words.map((word) => (word === '--list' ? 'list' : word)) : words;
}

/**
 * @param {Exclude<CommandName, 'run' | 'side'>} command
 * @param {readonly string[]} operands
 * @param {Given} given
 * @param {string} words shell command, for the hint
 * @returns {Request}
 * @throws {UsageError}
 */
function requestOf(command, operands, given, words) {
  switch (command) {
    case 'completion': {
      const shell = SHELLS.find((name) => name === operands[0]);
      if (shell === undefined) {
        throw new UsageError([`<shell>: expected ${SHELLS.join(', ')}, got ${quote(operands[0])}`], helpHint(words));
      }
      return { command, options: { shell } };
    }
    case 'compare':
      return { command, options: compareRequest(operands, given, words) };
    case 'ab':
      return { command, options: abRequest(operands, given, words) };
    case 'sweep': {
      const { csv, report } = given;
      // An interrupted sweep is continued in its own file.
      const json = given.json ?? given.resume;
      return {
        command,
        options: { operands, given, problems: sharedFiles({ json, csv, report }), hint: helpHint(words) },
      };
    }
    case 'quick': {
      const { objects, threads, duration, maxOperations, maxCost } = QUICK;
      const load = { duration, maxOperations: String(maxOperations), maxCost: String(maxCost) };
      return { ...loadRequest('run', [String(objects), String(threads)], { ...load, ...given }, words), command };
    }
    case 'replay':
      return loadRequest(command, [], { ...given, replay: operands.join(',') }, words);
    case 'cleanup': {
      const [runId] = operands;
      return runId === 'list'
        ? { ...loadRequest(command, [], given, words), command: 'list' }
        : loadRequest(command, [], { ...given, runId }, words);
    }
    case 'init':
      return { command, options: { file: operands[0] ?? DEFAULT_FILE } };
    case 'report':
      return { command, options: filesRequest(operands, { report: 'report.html', ...given }, words) };
    default:
      return { command, options: filesRequest(operands, given, words) };
  }
}

/** @param {string} command */
function takesLoad(command) {
  return command === 'run' || command === 'ab' || command === 'sweep';
}

/**
 * @param {Command} command after parsing
 * @returns {Given}
 */
function optionsGiven(command) {
  const options = Object.entries(command.opts());
  return Object.fromEntries(options.filter(([name]) => command.getOptionValueSource(name) === 'cli'));
}

/**
 * @param {'run' | 'ab' | 'replay' | 'cleanup'} command
 * @param {readonly string[]} operands
 * @param {Given} given
 * @param {string} words shell command, for the hint
 * @returns {{ command: LoadCommand, options: CommandLine }}
 * @throws {UsageError} with every problem
 */
function loadRequest(command, operands, given, words) {
  const hasLoad = command === 'run' || command === 'ab';
  const { values, problems } = readOptions(command, given, { operands: hasLoad ? operands : undefined });
  const results = resultFiles(values);
  const asserted = readAssertions(values.assert, values.stages === undefined ? null : assertedStages(values));
  const outputs = { log: values.log, 'access-log': values.accessLog, ...results };
  problems.push(...sharedFiles(outputs), ...overwritten(outputs, values.replay), ...asserted.problems);
  const [objects, threads] = operands;
  conclude(withSweepAdvice(problems, { objects, threads, ...given }), words);
  return {
    command: command === 'cleanup' ? command : values.replay && (values.dryRun || values.fit) ? 'traffic' : 'run',
    options: Object.freeze({ ...values, results, thresholds: asserted.thresholds, given: ofRun(operands, given) }),
  };
}

/**
 * @param {readonly string[]} operands
 * @param {Given} given
 * @returns {RunOptions} the arguments and options of a run
 */
function ofRun([objects, threads], given) {
  const options = Object.entries(given).filter(([name]) => RUN_OPTIONS.includes(name));
  return { store: 'env', objects, threads: given.threads ?? threads, ...Object.fromEntries(options) };
}

/**
 * @param {readonly string[]} operands
 * @param {Given} given
 * @param {string} words shell command, for the hint
 * @returns {AbOptions}
 * @throws {UsageError} with every problem of both sides
 */
function abRequest(operands, { a, b, ...common }, words) {
  const { values, problems } = readOptions('ab', { ...common, a, b }, { operands });
  const missing = Object.entries({ a, b }).flatMap(([name, options]) =>
    options === undefined ? [`--${name}: expected its options in quotes, or '' for none`] : [],
  );
  const [ofA, ofB] = [values.a, values.b].map((own) => readSide(own ?? [], operands, common, words));
  // An invalid common value is reported once, even if both sides override it; conflicts are reported per side.
  const unreadable = problems.filter((problem) => /^(--[a-z-]+|<\w+>): /.test(problem));
  const ofSides = [ofA, ofB].map((side, index) => ({
    label: 'AB'[index],
    problems: side.problems.filter((problem) => !unreadable.includes(problem)),
  }));
  conclude([...unreadable, ...missing, ...problemsOfAll(ofSides)], words);
  const { quads, margin, maxCost, json, quiet, report } = values;
  return {
    a: { words: values.a ?? [], options: /** @type {CommandLine} */ (ofA.options) },
    b: { words: values.b ?? [], options: /** @type {CommandLine} */ (ofB.options) },
    quads,
    margin,
    maxCost,
    json,
    report,
    quiet,
  };
}

/**
 * Reads a side's options as if they followed the common options.
 *
 * @param {readonly string[]} own words of --a or --b
 * @param {readonly string[]} operands
 * @param {Given} common
 * @param {string} words shell command, for the hint
 * @returns {{ options: CommandLine | null, problems: readonly string[] }}
 */
function readSide(own, operands, common, words) {
  const side = new Command()
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr() {} });
  addOptions(side, 'side');
  try {
    side.parse(own, { from: 'user' });
    const { options } = loadRequest('ab', operands, { ...common, ...optionsGiven(side) }, words);
    return { options, problems: [] };
  } catch (error) {
    if (error instanceof UsageError) {
      return { options: null, problems: error.problems };
    }
    const code = String(/** @type {{ code?: unknown }} */ (error).code);
    if (code === 'commander.excessArguments') {
      return { options: null, problems: ['expected options, such as --env-file FILE, got another word'] };
    }
    if (code.startsWith('commander.')) {
      return { options: null, problems: [advised(/** @type {Error} */ (error).message, true)] };
    }
    throw error;
  }
}

/**
 * @param {readonly string[]} files
 * @param {Given} given
 * @param {string} words shell command, for the hint
 * @returns {MergeOptions}
 * @throws {UsageError}
 */
function filesRequest(files, given, words) {
  const { values, problems } = readOptions('merge', given);
  const results = resultFiles(values);
  const asserted = readAssertions(values.assert, null);
  conclude([...problems, ...sharedFiles(results), ...asserted.problems], words);
  const { severalRuns, baseline, reference } = values;
  return { files, results, severalRuns, thresholds: asserted.thresholds, baseline, reference };
}

/**
 * @param {readonly string[]} results
 * @param {Given} given
 * @param {string} words shell command, for the hint
 * @returns {CompareOptions}
 * @throws {UsageError}
 */
function compareRequest(results, given, words) {
  const { values, problems } = readOptions('compare', given);
  const { margin, force, json, report, reference } = values;
  const empty = results.flatMap((file, index) => (file === '' ? [index === 0 ? '<before>' : '<after>'] : []));
  const asserted = readAssertions(values.assert, null);
  problems.push(...empty.map((name) => `${name}: expected a file, got nothing`));
  conclude([...problems, ...sharedFiles({ json, report }), ...asserted.problems], words);
  return { results, margin, force, json, report, reference, thresholds: asserted.thresholds };
}

/**
 * @param {readonly string[]} problems
 * @param {string} words shell command, for the hint
 * @throws {UsageError} if there are problems
 */
function conclude(problems, words) {
  refuseIfAny(problems, helpHint(words));
}

/**
 * @param {readonly string[] | undefined} assertions values of --assert
 * @param {readonly string[] | null} stages null if they are not known yet
 */
function readAssertions(assertions = [], stages) {
  return readThresholds(
    assertions.map((text) => ({ text, place: '--assert' })),
    stages,
  );
}

/**
 * @param {OptionValues} options of a run
 * @returns {string[]} the stages that --assert can refer to
 */
function assertedStages({ stages, mix = [], replay }) {
  const mixed = replay === undefined ? mix : OPERATIONS.map(({ name }) => ({ operation: name }));
  const name = (replay === undefined ? MIXED_STAGE : REPLAY_STAGE).toLowerCase();
  return [
    ...(replay === undefined ? stages : [PREPARE_STAGE.toLowerCase(), ...stages.slice(1)]),
    ...mixed.map((/** @type {Pick<MixedShare, 'operation'>} */ { operation }) => `${name}.${operation}`),
  ];
}

/**
 * @param {OptionValues} options
 * @returns {Record<string, string>} requested result files by option
 */
function resultFiles(options) {
  return Object.fromEntries(
    RESULT_OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** Finds options that name the same file. @param {Readonly<Record<string, string | undefined>>} files by option */
function sharedFiles(files) {
  const given = Object.entries(files).filter(([, file]) => file !== undefined);
  return given.flatMap(([one, file], index) =>
    given
      .slice(index + 1)
      .filter(([, otherFile]) => path.resolve(String(file)) === path.resolve(String(otherFile)))
      .map(([other]) => `--${one}, --${other}: expected two files, got ${quote(String(file))} for both`),
  );
}

/**
 * @param {Readonly<Record<string, string | undefined>>} files to write, by option
 * @param {readonly string[]} [logs] that are read
 */
function overwritten(files, logs = []) {
  const read = logs.map((file) => path.resolve(file));
  return Object.entries(files)
    .filter(([, file]) => file !== undefined && read.includes(path.resolve(file)))
    .map(([option, file]) => `--${option}: ${file} is a log to replay, and would be overwritten: use another file`);
}

/** @param {string} words shell command */
function helpHint(words) {
  return `${words} --help shows the usage`;
}

/**
 * @param {Exclude<CommandName, 'side'>} name
 * @param {string} words the command's name in the usage
 * @param {Outputs} outputs
 * @param {boolean} [isGrouped] whether its help shows options by group
 */
function newCommand(name, words, { stdout, stderr }, isGrouped = false) {
  const { operands, description } = COMMANDS[name];
  const command = new Command(words)
    .version(VERSION, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: HELP_WIDTH, visibleArguments: () => [] })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => writeCommanderError(text, write, takesLoad(name)),
    })
    .allowExcessArguments(false)
    .usage(`${operands} [options]`.trimStart())
    .description(description);
  if (name !== 'run') {
    operandsOf(name).forEach((operand) => command.argument(operand));
  }
  if (name === 'report') {
    command.option('-o, --report <file>', 'write the page to a file; - is stdout', 'report.html');
  }
  addOptions(command, name, isGrouped);
  return command;
}

/**
 * @param {Exclude<CommandName, 'run' | 'side'>} name
 * @returns {string[]} the operands that commander accepts; the operands of a run are checked later, with the options
 */
function operandsOf(name) {
  const words = COMMANDS[name].operands.match(/[<[][^\]>]+[\]>]/g) ?? [];
  return takesLoad(name) ? ['[objects]', '[threads]'] : words;
}

/**
 * @param {Command} command
 * @param {CommandName} name
 * @param {boolean} [isGrouped]
 */
function addOptions(command, name, isGrouped = false) {
  for (const [, { flag, help, helpOf, default: fallback, group, repeats }] of optionsOf(name)) {
    const option = new Option(flag, helpOf?.[name] ?? help);
    if (fallback !== undefined) {
      option.default(fallback, fallback);
    }
    if (repeats) {
      option.argParser((text, /** @type {any} */ before = []) => [...before, text]);
    }
    command.addOption(isGrouped ? option.helpGroup(`${GROUPS[group]}:`) : option);
  }
}

/**
 * @param {string} word
 * @param {string} benchmark shell command
 * @throws {UsageError} if the word is a command that is gone, or an option of which we know the equivalent
 */
function refuseKnownWord(word, benchmark) {
  const advice = Object.hasOwn(COMMANDS, word) ? undefined : adviceOn(`--${word}`);
  if (advice !== undefined) {
    throw new UsageError([`unknown command ${quote(word)}: ${advice}`], helpHint(benchmark));
  }
}

/**
 * @param {Given} given options before the name of a command
 * @param {string} name
 * @param {string} benchmark shell command
 * @throws {UsageError} if there are any, because they would have no effect
 */
function refuseOptionsBefore(given, name, benchmark) {
  const problems = Object.keys(given).map((option) => {
    const flag = flagOf(ROWS[option]);
    return `${flag}: options for ${name} must come after the command name, expected ${benchmark} ${name} … ${flag}`;
  });
  conclude(problems, `${benchmark} ${name}`);
}
