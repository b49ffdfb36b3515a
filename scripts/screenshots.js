import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openBrowser, openFile } from '../test/helpers/browser.js';

// Makes the pictures of docs/use/results.md: the report of a real run against the embedded endpoint, in light, dark and print.
// It needs Chromium.
//
//     node scripts/screenshots.js docs/images

/** @import { Browser } from 'playwright-core' */

const PROGRAM = fileURLToPath(new URL('../r2-benchmark.js', import.meta.url));

/** A realistic store: far away, and refusing a request now and then. */
const RUN = '40000 40 --local --duration 15s --gap 2s --faults latency=lognormal:20ms:0.4,status=503:1%';
const SEARCH = '20000 64 --find-peak --stages write --local --faults queue=500,latency=20ms';

const WIDTH = 1000;

/** The size of an A4 page at the same scale. */
const PAPER = { width: 794, height: 1123 };

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('error: expected the folder to write to, such as docs/images\n');
  process.exitCode = 2;
} else {
  const work = await mkdtemp(path.join(tmpdir(), 'screenshots-'));
  try {
    await makePictures(work);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** @param {string} work folder for intermediate files */
async function makePictures(work) {
  await benchmark(`${RUN} --report run.html`, work);
  await benchmark(`${SEARCH} --report search.html`, work);
  const browser = await openBrowser();
  try {
    await picture(browser, path.join(work, 'run.html'), 'report-light.png', 'light', [
      '#stages',
      '[data-chart="latency"]',
    ]);
    await picture(browser, path.join(work, 'run.html'), 'report-dark.png', 'dark', ['#time', '#latency']);
    await picture(browser, path.join(work, 'search.html'), 'report-capacity.png', 'light', ['#capacity']);
    await printed(browser, path.join(work, 'run.html'), 'report-print.png');
  } finally {
    await browser.close();
  }
}

/**
 * @param {string} command arguments of r2-benchmark
 * @param {string} cwd
 */
async function benchmark(command, cwd) {
  await promisify(execFile)(process.execPath, [PROGRAM, ...command.split(' '), '--quiet'], { cwd });
}

/**
 * @param {Browser} browser
 * @param {string} file
 * @param {string} name of the picture
 * @param {'light' | 'dark'} colorScheme
 * @param {readonly string[]} parts of the page: the first and the last
 */
async function picture(browser, file, name, colorScheme, parts) {
  const { page } = await openFile(browser, file, { colorScheme, viewport: { width: WIDTH, height: 900 } });
  const boxes = await Promise.all(parts.map((part) => page.locator(part).boundingBox()));
  const [first, last] = [boxes[0], boxes[boxes.length - 1]];
  if (first === null || last === null) {
    throw new Error(`${name}: expected ${parts.join(' and ')} on the page`);
  }
  const top = parts[0] === '#stages' ? 0 : first.y;
  const clip = { x: 0, y: top, width: WIDTH, height: last.y + last.height - top };
  await page.screenshot({ path: path.join(folder, name), clip, fullPage: true });
  await page.close();
}

/**
 * @param {Browser} browser
 * @param {string} file
 * @param {string} name of the picture
 */
async function printed(browser, file, name) {
  const { page } = await openFile(browser, file, { viewport: PAPER });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.screenshot({ path: path.join(folder, name), clip: { x: 0, y: 0, ...PAPER } });
  await page.close();
}
