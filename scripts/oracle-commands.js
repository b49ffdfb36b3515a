/**
 * @typedef {object} OracleCommand
 * @property {readonly string[]} lines of a shell, in a folder with a .env of a store with two buckets
 * @property {string} [faults] of that store
 * @property {boolean} [isTimed] whether the counts vary from run to run
 */

const ALL = '--log r.log --json r.json --report r.html --csv r.csv --summary r.md --junit r.xml';
const MOST = '--log r.log --json r.json --report r.html';

/** Kinds of runs and outputs, by name. One thread where random faults must hit the same requests each time. */
export const COMMANDS = Object.freeze(
  /** @type {Record<string, OracleCommand>} */ ({
    plain: { lines: [`bench 300 10 ${ALL}`] },
    'plain-piped': { lines: ['bench 300 10 | cat'] },
    'plain-stdout-json': { lines: ['bench 100 4 --json - --quiet | head -c 20'] },
    quiet: { lines: ['bench 300 10 --quiet --json r.json'] },
    local: { lines: ['bench 300 10 --local --json r.json'] },
    'two-cores': { lines: [`bench 2000 16 --cores 2 ${MOST}`] },
    sdk: { lines: [`bench 200 10 --client sdk ${MOST}`] },
    sizes: { lines: [`bench 200 8 --size 1KiB=3,64KiB=1 ${MOST}`] },
    'size-range': { lines: [`bench 100 8 --size 4KiB..64KiB ${MOST}`] },
    zipf: { lines: [`bench 300 8 --access zipf:0.99 --stages write,read,stat,remove ${MOST}`] },
    'all-stages': {
      lines: [`bench 200 8 --stages write,read,range,stat,list,copy,batch-remove --page-size 50 ${MOST}`],
    },
    multipart: { lines: [`bench 4 2 --multipart --size 12MiB --part-size 5MiB ${MOST}`] },
    'multipart-sdk': { lines: ['bench 3 2 --multipart --size 6MiB --part-size 5MiB --client sdk --json r.json'] },
    'no-keep-alive': { lines: ['bench 100 4 --no-keep-alive --json r.json'] },
    'no-preflight': { lines: ['bench 100 4 --no-preflight --json r.json'] },
    shard: { lines: ['bench 100 4 --run-id r1 --shard 1/2 --json r.json --log r.log'] },
    keep: {
      lines: [
        'bench 100 4 --keep --run-id kept --json w.json',
        'bench 100 4 --run-id kept --stages read,stat --json r.json',
        'bench 100 4 --run-id kept',
        'bench cleanup list',
        'bench cleanup kept',
        'bench cleanup kept',
      ],
    },
    'keep-as-option': { lines: ['bench 50 4 --keep --run-id kept', 'bench cleanup list', 'bench --cleanup kept'] },
    existing: {
      lines: [
        'bench 100 4 --keep --run-id data --stages write',
        `bench 100 4 --existing benchmark/data/ --stages read,stat,range,list ${MOST}`,
        "bench 100 4 --existing '*' --access zipf:0.99 --duration 2s --json s.json > /dev/null 2>&1",
        'bench cleanup data',
      ],
      isTimed: true,
    },
    'existing-none': { lines: ['bench 100 4 --existing nothing/'] },
    mix: { lines: [`bench 200 8 --mix read=70,write=20,stat=5,remove=5 --duration 3s ${ALL}`], isTimed: true },
    'mix-zipf': {
      lines: ['bench 500 8 --mix read=80,write=20 --access zipf:0.99 --duration 3s --json r.json'],
      isTimed: true,
    },
    duration: { lines: [`bench 500 8 --duration 2s --warmup 1s ${MOST}`], isTimed: true },
    'open-loop': { lines: [`bench 400 16 --rate 200 --arrival poisson ${MOST}`], isTimed: true },
    overloaded: { lines: ['bench 600 8 --rate 300 --json r.json --log r.log'], faults: 'queue=200', isTimed: true },
    ramp: {
      lines: [`bench 2000 8 --ramp 1,4,8 --step-time 2s --stages write,read ${MOST}`, 'peak r.log'],
      isTimed: true,
    },
    search: {
      lines: [`bench 20000 32 --find-peak --stages write ${ALL}`, 'peak r.log'],
      faults: 'queue=400,latency=10ms',
      isTimed: true,
    },
    'rate-search': {
      lines: [`bench 20000 64 --find-peak --peak-of rate --slo 50ms --stages write ${MOST}`],
      faults: 'queue=400,latency=10ms',
      isTimed: true,
    },
    'max-cost': { lines: ['bench 5000 8 --max-cost 0.01 --json r.json --log r.log'], isTimed: true },
    'max-cost-too-low': { lines: ['bench 5000 8 --max-cost 0.0000001'] },
    merge: {
      lines: [
        'bench 200 8 --run-id m --shard 0/2 --log a.log --json a.json --quiet > /dev/null',
        'bench 200 8 --run-id m --shard 1/2 --log b.log --json b.json --quiet > /dev/null',
        'peak a.log b.log',
        'peak a.json b.json',
        'bench merge a.log b.log --json m.json --report m.html --summary m.md --csv m.csv',
        'bench report a.log b.log -o both.html',
      ],
    },
    'merge-same': { lines: ['bench 200 8 --log a.log --quiet', 'peak a.log a.log'] },
    'merge-nothing': { lines: ['peak none.log', 'echo hello > x.log; peak x.log', 'peak'] },
    'merge-cut': { lines: ['bench 200 8 --log a.log --quiet', 'head -n 14 a.log > cut.log; rm a.log; peak cut.log'] },
    compare: {
      lines: [
        'bench 2000 8 --stages write,read,remove --json a.json --quiet > /dev/null',
        'bench 2000 8 --stages write,read,remove --client sdk --json b.json --quiet > /dev/null',
        'bench compare a.json b.json > compared.txt 2>&1; echo $? > /dev/null; head -n 1 compared.txt',
      ],
      isTimed: true,
    },
    ab: {
      lines: ["bench ab 100 4 --quads 2 --a '--client direct' --b '--client sdk' --json r.json --report r.html"],
      isTimed: true,
    },
    assert: {
      lines: [
        "bench 100 4 --assert 'errors == 0' --assert 'read.p99 < 1ms' --junit r.xml --summary r.md",
        "bench 100 4 --assert 'nonsense < 3'",
        "bench 100 4 --assert 'write.rate > 1'",
      ],
    },
    baseline: {
      lines: [
        'bench 100 4 --json base.json --quiet > /dev/null',
        "bench 100 4 --baseline base.json --assert 'read.rate > 0.01 * baseline'",
      ],
    },
    'status-503': {
      lines: [`bench 300 1 ${MOST}`],
      faults: 'seed=7,PUT.status=503:5%,GET.status=429:5%',
      isTimed: true,
    },
    resets: { lines: [`bench 300 1 ${MOST}`], faults: 'seed=7,reset=2%,truncate=2%', isTimed: true },
    corrupt: { lines: [`bench 300 1 ${MOST}`], faults: 'seed=7,corrupt=5%', isTimed: true },
    lost: { lines: ['bench 100 4 --timeout 1s --json r.json'], faults: 'seed=7,PUT.lost=5%', isTimed: true },
    stale: {
      lines: ['bench 50 4 --mix read=70,write=30 --duration 4s --json r.json'],
      faults: 'seed=7,stale=20%',
      isTimed: true,
    },
    refused: { lines: ['bench 100 4 --retries 1 --json r.json'], faults: 'PUT.status=500:100%' },
    denied: { lines: ['S3_SECRET_KEY=wrong bench 100 4', 'S3_BUCKET=nosuch bench 100 4'] },
    skew: { lines: ['bench 100 4'], faults: 'skew=20m' },
    interrupted: {
      lines: ['timeout --foreground -s INT 4 $BENCH 20000 8 --json r.json', 'timeout -s TERM 4 $BENCH 20000 8 > r.log'],
      faults: 'latency=20ms',
      isTimed: true,
    },
    'no-env': { lines: ['rm .env; bench 100 4'] },
    'bad-env': { lines: ["printf 'S3_BUCKET=\\nnonsense\\nS3_PORT=x\\n' > .env; bench 100 4"] },
    'bad-arguments': {
      lines: [
        'bench',
        'bench 10',
        'bench 0 4',
        'bench 10 1e99',
        'bench 10x 4',
        'bench 10 4 --nosuch',
        'bench nosuch',
        'bench 5 10',
      ],
    },
    habits: {
      lines: ['bench -n 100 -c 4', 'bench 100 --concurrency 4', 'bench 100 4 --size 16K', 'bench 100 4 --threads 4'],
    },
    conflicts: {
      lines: [
        'bench 100 4 --find-peak --rate 5',
        'bench 100 4 --mix read=50,write=50 --stages read',
        'bench 100 4 --multipart --size 1KiB --part-size 1MiB',
        'bench 100 4 --stages read',
      ],
    },
    help: {
      lines: [
        'bench --help',
        'bench help all',
        'bench --version',
        'bench merge --help',
        'bench ab --help',
        'bench cleanup --help',
      ],
    },
    init: { lines: ['rm .env; bench init new.env; cat new.env', 'bench init new.env'] },
    'bad-faults': { lines: ['bench 100 4 --local --faults nonsense=5', 'bench 100 4 --faults latency=5ms'] },
    'json-unwritable': { lines: ['bench 100 4 --json no/such/folder.json'] },
  }),
);
