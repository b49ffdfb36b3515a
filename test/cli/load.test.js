import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, loadingProblem } from '../../lib/cli/start.js';
import { UsageError } from '../../lib/options/usage-error.js';

test('returns a loaded module unchanged', async () => {
  assert.equal((await load(() => import('../../lib/options/usage-error.js'))).UsageError, UsageError);
});

test('names a package that is not installed, with the command that installs it', async () => {
  await assert.rejects(
    // @ts-expect-error: there is no such package.
    load(() => import('no-such-package-of-r2-benchmark')),
    (/** @type {any} */ error) => {
      assert.ok(error instanceof UsageError);
      assert.equal(
        error.message,
        'the required package no-such-package-of-r2-benchmark is not installed: run `npm ci` in the folder of r2-benchmark.js',
      );
      return true;
    },
  );
});

test('reports a missing package as the open-file limit if that is low', () => {
  const error = Object.assign(new Error("Cannot find package '/a/dotenv/index.js' imported from /b.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  assert.match(loadingProblem(error, 48) ?? '', /cannot open enough files .*\(EMFILE\): .*`ulimit -n 1024`/);
});

test('does not hide defects', async () => {
  const defect = new TypeError('x is not a function');
  await assert.rejects(
    load(() => Promise.reject(defect)),
    defect,
  );
});
