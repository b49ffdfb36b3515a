import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const PROJECT = new URL('../../', import.meta.url);

const workflow = readFileSync(new URL('.github/workflows/ci.yml', PROJECT), 'utf8');
const { scripts, engines } = JSON.parse(readFileSync(new URL('package.json', PROJECT), 'utf8'));

test('the workflow runs only existing scripts', () => {
  const commands = [...workflow.matchAll(/^ +- run: (.*)$/gm)].map(([, command]) => command);
  assert.ok(commands.length > 0);
  for (const command of commands) {
    const [, script, option] = /^npm (?:run )?([a-z:]+)( --if-present)?/.exec(command) ?? [];
    const isKnown = Object.hasOwn(scripts, script) || option !== undefined || command === 'npm ci --ignore-scripts';
    assert.ok(isKnown || existsSync(new URL(command, PROJECT)), command);
  }
});

test('the workflow starts with the oldest supported version of Node', () => {
  const [, versions] = /^ +node: \[(.*)\]$/m.exec(workflow) ?? [];
  const [oldest] = versions.split(', ').map(Number);
  assert.equal(oldest, Number(/^>=(\d+)\./.exec(engines.node)?.[1]));
});
