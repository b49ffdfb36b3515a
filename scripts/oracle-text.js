// Texts in which everything that varies from run to run is a placeholder.

/** Names of integers in a result that are the same in each run with the same faults. */
const COUNTS =
  /^(objects|threads|objectSize|operations|bytes|keys|parts|aborts|failed|integrityErrors|staleReads|foreignReads|tornReads|vanished|changed|skipped|attempts|retries|throttled|failedAttempts|opened|format|preflight|cleanup|removed|left|buckets|size|count)$/;

/** Fields whose parts depend on the machine's speed. */
const VARYING =
  /^((host|client)Load|evidence|advice|versions|seconds|unloaded|cause|certainty|histogram|firstByte|startDelay|host)$/;

/** Commands, exit statuses and the numbers of objects left never vary. */
const FIXED = /^(\$|status|-- objects left) /;

/**
 * @param {string} text
 * @param {boolean} isTimed whether even the counts vary
 * @returns {string}
 */
export function withPlaceholders(text, isTimed) {
  const lines = text
    .replace(/\d{8}-\d{6}-[a-z0-9]{4}/g, 'RUN')
    .replace(/\d{4}-\d\d-\d\dT\d\d\\?:\d\d\\?:\d\d(\.\d+)?Z?/g, 'TIME')
    .replace(/\d\d\\?:\d\d\\?:\d\d/g, 'TIME')
    .replace(/RUN\/[0-9a-f]{8}-\d+/g, 'RUN/KEY')
    .replace(/127\.0\.0\.1\\?:\d+/g, '127.0.0.1:PORT')
    .replace(/^# r2-benchmark (\{.*)$/gm, (_line, json) => `# r2-benchmark ${machineLine(json)}`)
    .replace(/([Ll]imited by:? |The bottleneck is not known|^-? ?\*\*[A-Z][\w-]+\*\*: ).*$/gm, 'limited by CAUSE')
    .replace(/(operations per second)[;.].*$/gm, '$1')
    .replace(
      /(?:(?:likely|proven) )?(?:(?:host|client) CPU|concurrency|store( throttling)?|beyond this host|bandwidth|network link|requested rate|overloaded|unknown|inconclusive)(?=$| \|)/gm,
      'CAUSE',
    )
    .replace(/^limited by CAUSE$|^Likely limited by CAUSE$/gm, 'limited by CAUSE')
    .replace(/\d[\d,]*\.\d+/g, 'N')
    .replace(/\b\d[\d,]*(?= ?(?:ms|µs|us|s|%|\/s|MB\/s|MiB\/s)(?!\w))/g, 'N')
    .replace(/\b\d{9,}\b/g, 'N')
    .replace(/[ \t]+/g, ' ')
    .split('\n')
    .map((line) => (isTimed && !FIXED.test(line) ? line.replace(/\b[1-9][\d,]*\b/g, 'N') : line).trimEnd())
    .map((line) => (/^TIME: \w+: Ops/.test(line) ? line.replace(/ [\d,]+/g, ' N') : line));
  return [...lines.filter((line, index) => line !== lines[index - 1] && line !== ''), ''].join('\n');
}

/** @param {string} json */
function machineLine(json) {
  const { kind, stage = '' } = JSON.parse(json);
  return `{${kind} ${stage}}`;
}

/**
 * @param {string} json of a result
 * @param {boolean} isTimed
 * @returns {string} a line for each field: its path, and its value if that is the same in each run
 */
export function outlineOf(json, isTimed) {
  /** @type {Set<string>} */
  const lines = new Set();
  collect(JSON.parse(json), '', '');
  return [...lines].join('\n');

  /**
   * @param {any} value
   * @param {string} at
   * @param {string} name
   */
  function collect(value, at, name) {
    if (VARYING.test(name)) {
      lines.add(`${at}: ${value === null ? null : typeof value}`);
    } else if (Array.isArray(value)) {
      lines.add(value.length === 0 ? `${at}: none` : `${at}:`);
      value.forEach((item) => collect(item, `${at}[${item?.stage ?? item?.kind ?? ''}]`, name));
    } else if (value !== null && typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        collect(item, `${at}.${key}`, key);
      }
    } else {
      lines.add(`${at}: ${shown(value, name)}`);
    }
  }

  /** @param {unknown} value @param {string} name */
  function shown(value, name) {
    if (typeof value === 'number') {
      return Number.isInteger(value) && COUNTS.test(name) && !isTimed ? value : 'N';
    }
    return value;
  }
}

/**
 * @param {string} file
 * @param {string} content
 * @returns {string} the words of a page; of a CSV its first lines; other files as they are
 */
export function pageText(file, content) {
  if (file.endsWith('.csv')) {
    return content.split('\n', 2).join('\n');
  }
  if (!file.endsWith('.html')) {
    return content;
  }
  return content
    .replace(/<(script|style|svg)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<\/t[dh]>\s*/g, ' | ')
    .replace(/<\/(p|h\d|li|tr|summary|figcaption|dt|dd|caption)>|<br>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/\d{8}-\d{6}-[a-z0-9]{4}/g, 'RUN')
    .replace(/\d[\d,]*(\.\d+)?|–/g, 'N');
}
