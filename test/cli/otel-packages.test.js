import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { installHint, requireOtelPackages } from '../../lib/cli/otel-packages.js';
import { folderWith } from '../helpers/command.js';

const PACKAGES = ['a@1.2.3', 'b@4.5.6'];

test('the packages of every way out are installed in a clone', () => {
  requireOtelPackages({ otlp: true, prometheus: true });
});

test('a clone installs them with its development dependencies', () => {
  assert.equal(
    installHint(PACKAGES, '/home/user/r2-benchmark/'),
    'run `npm ci --include=dev` in the folder of r2-benchmark.js',
  );
});

test('npx takes them with the program', () => {
  assert.equal(
    installHint(PACKAGES, '/home/user/.npm/_npx/0123abcd/node_modules/r2-benchmark/'),
    'run `npx -p r2-benchmark -p a@1.2.3 -p b@4.5.6 r2-benchmark …`',
  );
});

test('a project installs them next to the program, and so does a global installation', async (t) => {
  const project = await folderWith(t, { 'package.json': '{}' });
  assert.equal(
    installHint(PACKAGES, path.join(project, 'node_modules/r2-benchmark/')),
    'run `npm install a@1.2.3 b@4.5.6`',
  );
  assert.equal(
    installHint(PACKAGES, '/usr/local/lib/node_modules/r2-benchmark/'),
    'run `npm install --global a@1.2.3 b@4.5.6`',
  );
});
