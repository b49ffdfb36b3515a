import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { embeddableJson, escapeHtml } from './markup.js';

/** @import { Markup } from './markup.js' */

/**
 * @typedef {object} Section
 * @property {string} id
 * @property {string} title
 * @property {Markup} body
 * @property {unknown} [chart] data for its charts; the script finds it by the section's id
 *
 * @typedef {object} PageParts
 * @property {string} title
 * @property {Markup} header
 * @property {readonly Section[]} sections
 * @property {Readonly<Record<string, Iterable<string>>>} data JSON by element id
 */

/** The files that make up the script of the page, each after the files that it imports. */
const SCRIPTS = ['chart.js', 'time-charts.js', 'stage-charts.js', 'main.js'];

const UPLOT = 'uplot/dist/uPlot.iife.min.js';
const UPLOT_STYLE = 'uplot/dist/uPlot.min.css';

/**
 * Formats a page as one self-contained file, whose Content-Security-Policy forbids all network access.
 *
 * @param {PageParts} parts
 * @returns {Generator<string, void, undefined>} in chunks
 */
export function* formatPage({ title, header, sections, data }) {
  const { style, uplot, script } = assets();
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(uplot)} ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
${header.text}
<nav aria-label="Sections"><ul>${sections.map((section) => `<li><a href="#${section.id}">${escapeHtml(section.title)}</a></li>`).join('')}</ul></nav>
</header>
<main>
`;
  for (const { id, title: heading, body } of sections) {
    yield `<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${escapeHtml(heading)}</h2>
${body.text}</section>
`;
  }
  yield '</main>\n';
  const charts = Object.fromEntries(sections.flatMap(({ id, chart }) => (chart === undefined ? [] : [[id, chart]])));
  yield* dataElement('charts', [JSON.stringify(charts)]);
  for (const [id, json] of Object.entries(data)) {
    yield* dataElement(id, json);
  }
  yield `<script>${uplot}</script>\n<script type="module">${script}</script>\n</body>\n</html>\n`;
}

/**
 * @param {string} id
 * @param {Iterable<string>} json
 * @returns {Generator<string, void, undefined>}
 */
function* dataElement(id, json) {
  yield `<script type="application/json" id="${id}">`;
  for (const part of json) {
    yield embeddableJson(part);
  }
  yield '</script>\n';
}

function assets() {
  const require = createRequire(import.meta.url);
  const { version, license } = require('uplot/package.json');
  const folder = fileURLToPath(new URL('.', import.meta.resolve('uplot/package.json')));
  const notice = `/*! uPlot ${version}, ${license}\n${readFileSync(`${folder}LICENSE`, 'utf8')}*/\n`;
  const style = textOf(new URL('./browser/page.css', import.meta.url));
  const colors = [...style.matchAll(/--([\w-]+): light-dark/g)].map(([, name]) => `.${name}{color:var(--${name})}`);
  return {
    style: [textOf(import.meta.resolve(UPLOT_STYLE)), style, ...colors].join('\n'),
    uplot: notice + textOf(import.meta.resolve(UPLOT)),
    script: SCRIPTS.map((name) => withoutModules(textOf(new URL(`./browser/${name}`, import.meta.url)))).join('\n'),
  };
}

/** @param {string | URL} url */
function textOf(url) {
  return readFileSync(fileURLToPath(url), 'utf8');
}

/**
 * Removes imports and exports from a module, because an inline script cannot import other scripts. The files are
 * modules so that they can be checked and tested; their top-level names must not collide.
 *
 * @param {string} text of a module that only imports from its own folder
 */
function withoutModules(text) {
  return text.replace(/^import [^;]* from '\.\/[^']+';\n/gm, '').replace(/^export (?=function|const|class)/gm, '');
}

/** The source expression that allows an element in the page's policy. @param {string} text of the element */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
