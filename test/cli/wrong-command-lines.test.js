import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

/** What a new user may type, and what the error line must contain. @type {readonly [string, RegExp][]} */
const WRONG = [
  ['', /expected a command, or <objects> <threads>; start with: node r2-benchmark.js quick --local/],
  ['1000', /<threads>: expected a whole number/],
  ['--local', /<objects>: expected a whole number/],
  ['--cleanup=..', /<run-id>: expected 1 to 64 characters from A-Z a-z 0-9 \. _ -, not only dots/],
  ['run 1000 10 --local', /too many arguments: expected <objects> <threads>/],
  ['1000 --threads 10 --local', /--threads: the number of threads is the second argument/],
  ['1000 10 -t 5 --local', /-t: the number of threads is the second argument/],
  ['1000 10 --size 16K --local', /did you mean 16kB \(16,000 bytes\) or 16KiB \(16,384 bytes\)\?/],
  ['1000 10 --object-size 1MiB --local', /use --size/],
  ['1000 10 --duration 1min --local', /--duration: expected a duration in whole milliseconds, such as 500ms, 10s/],
  ['1000 10 --qps 100 --local', /use --rate/],
  ['1000 10 --stages read --local', /--local requires write in --stages/],
  ['1000 10 --mix read=50 --local', /--mix: expected shares that add up to 100, got 50/],
  ['1000 10 --mix read=50,write=50 --existing a/', /--existing takes only --mix of read, range, stat, list, got write/],
  ['1000 10 --mix read=50,list=50 --local', /list cannot be combined with --mix: the keys of a page are unknown/],
  [
    '1000 10 --mix get=50,put=50 --local',
    /--mix: expected shares of write, .*read=70,write=30.*; did you mean read\?$/,
  ],
  ['1000 10 --find-peak --rate 5 --local', /--rate cannot be combined with --find-peak/],
  ['1000 10 --slo 50ms --local', /--slo requires --find-peak --peak-of rate/],
  ['1000 10 --target 500 --local', /--target: run with 1, 2 and 4 buckets in --bucket, and compare the results/],
  ['1000 10 --arrival poisson --local', /--arrival requires --rate or --find-peak --peak-of rate/],
  ['1000 10 --cpus 2 --local', /use --cores/],
  ['1000 10 --verbose --local', /R2_BENCHMARK_DEBUG=1/],
  ['1000 10 --output result.json --local', /use --log, --json or --report/],
  ['1000 10 --json - --csv - --local', /--json, --csv: expected two files, got "-" for both/],
  ['1000 10 --log a --access-log a --local', /--log, --access-log: expected two files, got "a" for both/],
  ['replay a b --json b --local', /--json: b is a log to replay, and would be overwritten: use another file/],
  ['1000 10 --no-color --local', /NO_COLOR=1/],
  ['1000 10 --max-latency 50ms --local', /use --assert, as in --assert 'read\.p99 < 50ms'/],
  ['1000 10 --assert p99<50 --local', /p99 is a figure of a stage: put a stage name before it, such as read\.p99/],
  ['1000 10 --assert read.latency<50ms --local', /"latency"; near names: \w+, \w+, \w+; docs\/use\/ci\.md lists all$/],
  ['1000 10 --assert get.p99<50ms --local', /unknown stage get, expected write, read, stat, remove/],
  ['1000 10 --endpoint http://127.0.0.1:9000', /use --endpoint-url/],
  ['1000 10 --access-key x', /put credentials into \.env, or use --profile/],
  ['1000 10 --insecure', /S3_USE_SSL/],
  ['1000 10 --keep --stages write,remove --local', /--keep cannot be combined with the stage remove/],
  ['1000 10 --shard 1 --local', /--shard: expected i\/N/],
  ['1000 10 --lokal', /Did you mean --local\?/],
  ['1000 10 --part-size 8MiB --local', /--part-size requires --multipart, or a --size above 4\.9GiB/],
  ['10 10 --size 100GiB --part-size 8MiB', /--part-size: an object would have more than 10000 parts/],
  ['1000 10 --multipart --stages write,copy', /copy cannot be combined with objects written in parts/],
  ['1000 10 --checksum crc64nvme', /unknown option --checksum: use --client sdk --sdk-defaults/],
  ['1000 10 --ramp 1,2,11 --local', /--ramp cannot exceed <threads>/],
  ['1000 10 --until-stable 2%', /unknown option --until-stable: use --duration/],
  ['1000 10 --existing a/ --stages read,write', /--existing supports only the stages read,range,stat,list, got write/],
  ['1000 10 --existing a/ --stages list --shard 0/2 --run-id a', /list cannot be combined with --shard: a host does/],
  ['1000 10 --stages write,batch-remove --find-peak --local', /batch-remove cannot be combined with --find-peak/],
  ['1000 10 --stages write,batch-remove,remove --local', /--stages can have only one of batch-remove and remove/],
  ['1000 10 --stages copy --run-id a', /copy cannot be combined with objects of an earlier run: its copies/],
  ['1000 10 --stages read', /--stages without write require the --run-id of a run made with --keep/],
  ['1000 10 --stages write,range --range-size 17KiB --local', /--range-size cannot exceed the size of the objects/],
  [
    '1000 10 --size 4KiB=60,8MiB=x --local',
    /--size: expected sizes with whole-number weights, such as 4KiB=60,8MiB=40/,
  ],
  ['1000 10 --mix read=70,write=10,remove=20 --local', /--mix requires a share of write at least as large as/],
  ['1000 10 --mix read=50,write=50 --find-peak --local', /--mix cannot be combined with --find-peak/],
  ['1000 10 --mix read=50,write=40,remove=10 --keep --local', /--keep cannot be combined with remove in --mix/],
  ['1000 10 --mix read=50,write=40,remove=10 --rate 2000 --local', /--rate 2000 requires 2000 <objects> or more/],
  ['110 10 --mix write=50,remove=50 --local', /--mix requires 111 <objects> or more .*, got 110/],
  [
    '1000 10 --mix read=50,write=50 --assert mixed.stat.p99<1s --local',
    /unknown stage mixed\.stat, expected write, mixed/,
  ],
  ['merge', /missing required argument 'files'/],
  ['1000 10 --calibrate', /unknown option --calibrate: use --local/],
  ['merge log.txt --size 1MiB', /--size does not apply here: it belongs to a run/],
  ['ab 100 10 --local --a a.env --b --client=sdk', /A: expected options, such as --env-file FILE, got another word/],
  ['compare a b --threads 5', /--threads does not apply here/],
  ['2000 64 --local --size 4KiB,64KiB', /--size: .*; to try each, use sweep --vary size=4KiB,64KiB$/],
  ['2000 1,4,16 --local', /<threads>: .*; to try each, use sweep --vary threads=1,4,16$/],
  ['2000 64 --local -L size 4KiB,64KiB', /-L: use the command sweep, as in sweep 2000 64 --vary size=4KiB,64KiB/],
  ['matrix 2000 64 --size 4KiB,64KiB', /unknown command "matrix": use the command sweep/],
  ['2000 64 --local --vary size=4KiB,64KiB', /--vary does not apply here: it belongs to sweep/],
  ['sweep 2000 64 --local', /sweep requires --vary, such as --vary size=4KiB,64KiB/],
  ['sweep 2000 64 --local --vary size 4KiB,64KiB', /too many arguments: .*--vary size=4KiB,64KiB, with =/],
  ['sweep 2000 64 --local --vary size=4KiB', /--vary size: expected two or more different values, separated by commas/],
  ['sweep 2000 64 --local --vary sizes=4KiB,8KiB', /got "sizes"; did you mean size\?/],
  [
    'sweep 2000 64 --local --vary mix=read=70,write=30',
    /--vary mix: .* \(values that contain commas need a --vary each\)$/,
  ],
  ['sweep 9 4 --local --vary size=4KiB,4GiB', /size=4GiB: --local stores objects of at most/],
  ['sweep 2000 64 --local --vary size=4KiB,8KiB --size 1KiB', /--vary size cannot be combined with --size/],
  ['sweep 2000 64 --local --vary size=4KiB,8KiB --keep', /--keep does not apply here: it belongs to a run/],
  ['sweep 2000 64 --local --vary size=4KiB,8KiB --run-id a', /--run-id requires --stages that neither write nor/],
  ['sweep 9 4 --local --vary size=4KiB,8KiB --reference size=5KiB', /--reference: expected a cell, such as size=4KiB/],
  ['sweep 9 4 --local --vary multipart=yes,no --part-size 8MiB', /multipart=no: --part-size requires --multipart/],
  ['100 4 --log-append', /unknown option --log-append: use \| tee -a FILE/],
  ['--init', /unknown option --init: use the command init/],
  ['cleanup list --shard 0/2', /--shard cannot be combined with cleanup list/],
  ['cleanup', /missing required argument 'run-id'/],
  ['--help loads', /unknown help topic "loads": expected workload, load, /],
];

test('answers a wrong command line with one line that suggests what to type instead', async () => {
  assert.ok(WRONG.length >= 40);
  for (const [line, expected] of WRONG) {
    const { status, stdout, stderr } = await runInProcess(line === '' ? [] : line.split(' '), {});
    const [error, ...others] = stderr.trimEnd().split('\n');
    assert.deepEqual([status, stdout], [2, ''], line);
    assert.match(error, expected, line);
    assert.ok(error.startsWith('error: ') && error.length < 250, `${line}: ${error}`);
    const further = others.filter(
      (each) => !/ --help shows the usage\)?$/.test(each) && !each.startsWith('error: <threads>'),
    );
    assert.deepEqual(further, [], line);
  }
});

test('the help has a topic for every group, and together they have every option', async () => {
  const helpOf = async (/** @type {string[]} */ ...words) => (await runInProcess(words, {})).stdout;
  const flagsIn = (/** @type {string} */ text) =>
    [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  const all = flagsIn(await helpOf('--help', 'all'));
  const [, list] = (await helpOf('--help')).split('--help <topic>):\n');
  const topics = [...list.split('\n\n')[0].matchAll(/(?<=^ {2}| {2})([a-z]+) {2,}/g)].map(([, topic]) => topic);
  assert.ok(topics.length >= 9, topics.join());
  const seen = new Set(['--version', '--help']);
  for (const topic of topics.filter((each) => each !== 'all')) {
    const flags = flagsIn(await helpOf('help', topic));
    assert.ok(flags.length > 0, topic);
    flags.forEach((flag) => seen.add(flag));
  }
  assert.deepEqual(
    all.filter((flag) => !seen.has(flag)),
    [],
  );
  assert.ok(all.length > 60);
  assert.equal(await helpOf('help', 'merge'), await helpOf('merge', '--help'));
});
