import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { isExecutable } from './server-process.js';

/**
 * @import { Browser, Page } from 'playwright-core'
 */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Names of Chromium's executable in Linux distributions. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * @returns {string} the path of Chromium
 * @throws {Error} if it is not installed
 */
function findChromium() {
  const { R2_BENCHMARK_CHROMIUM, PATH = '' } = process.env;
  const candidates =
    R2_BENCHMARK_CHROMIUM === undefined
      ? NAMES.flatMap((name) => PATH.split(path.delimiter).map((folder) => path.join(folder, name)))
      : [R2_BENCHMARK_CHROMIUM];
  const found = candidates.find(isExecutable);
  if (found === undefined) {
    throw new Error(
      'Chromium not found: install the package chromium (apt-get install chromium), or set R2_BENCHMARK_CHROMIUM to its path',
    );
  }
  return found;
}

/** @returns {Promise<Browser>} a real browser without a window */
export function openBrowser() {
  // The sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: findChromium(), args });
}

/**
 * A page opened from disk, as a reader would.
 *
 * @typedef {object} OpenPage
 * @property {Page} page
 * @property {string[]} findings errors, warnings and requests, of which a correct page has none
 * @property {number} milliseconds until everything was drawn
 */

/**
 * @param {Browser} browser
 * @param {string} file
 * @param {Parameters<Browser['newPage']>[0]} [options]
 * @returns {Promise<OpenPage>} once its charts are drawn
 */
export async function openFile(browser, file, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const url = pathToFileURL(file).href;
  /** @type {string[]} */
  const findings = [];
  page.on('pageerror', (error) => findings.push(`error: ${error.message}`));
  page.on('console', (message) => findings.push(`${message.type()}: ${message.text()}`));
  page.on('request', (request) => {
    if (request.url() !== url) {
      findings.push(`request: ${request.url()}`);
    }
  });
  const before = performance.now();
  await page.goto(url);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' }).catch((error) => {
    throw new Error(`the page did not draw its charts: ${[...findings, error.message].join('\n')}`);
  });
  // Wait until it is also displayed.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return { page, findings, milliseconds: performance.now() - before };
}

/**
 * @param {Page} page
 * @returns {Promise<Record<string, number>>} coloured pixels between the axes of each chart, by name; the grid is grey
 */
export function colouredPixels(page) {
  return page.evaluate(() => {
    /** @param {Element} chart */
    const pixelsOf = (chart) => {
      const canvas = chart.querySelector('canvas');
      const over = chart.querySelector('.u-over');
      if (canvas === null || over === null) {
        return 0;
      }
      const [whole, inner] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
      const scale = canvas.width / whole.width;
      const area = [inner.left - whole.left, inner.top - whole.top, inner.width, inner.height].map((each) =>
        Math.round(each * scale),
      );
      const [left, top, width, height] = area;
      const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
        left,
        top,
        width,
        height,
      );
      let coloured = 0;
      for (let at = 0; at < data.length; at += 4) {
        const channels = [data[at], data[at + 1], data[at + 2]];
        coloured += Number(data[at + 3] > 100 && Math.max(...channels) - Math.min(...channels) > 30);
      }
      return coloured;
    };
    const places = [...document.querySelectorAll('[data-chart]')];
    return Object.fromEntries(places.map((place) => [String(place.getAttribute('data-chart')), pixelsOf(place)]));
  });
}

/**
 * @param {Page} page
 * @throws {AssertionError} if axe-core finds accessibility problems
 */
export async function assertAccessible(page) {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const found = await /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] });
    return found.violations.map((/** @type {any} */ { id, help, nodes }) => {
      return `${id}: ${help}: ${nodes.map((/** @type {any} */ node) => node.target.join(' ')).slice(0, 5)}`;
    });
  });
  assert.deepEqual(violations, []);
}

/**
 * @param {Page} page
 * @param {string} section ID
 * @param {number} [place] index of the table in the section
 * @returns {Promise<Record<string, number | string>[]>} its rows by column title, with exact figures
 */
export function tableIn(page, section, place = 0) {
  return page.evaluate(([id, at]) => {
    const table = document.querySelectorAll(`#${id} table`)[Number(at)];
    const titles = [...table.querySelectorAll('thead th')].map((cell) => String(cell.textContent).trim());
    return [...table.querySelectorAll('tbody tr')].map((row) =>
      Object.fromEntries(
        [...row.children].map((cell, column) => {
          const value = cell.querySelector('data')?.getAttribute('value');
          return [titles[column], value === null || value === undefined ? String(cell.textContent) : Number(value)];
        }),
      ),
    );
  }, /** @type {const} */ ([section, place]));
}
