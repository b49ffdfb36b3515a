import { appendFileSync } from 'node:fs';
import Module from 'node:module';

// Loaded by --import into a program that is looked at: at its end it writes down the files of the packages that it has loaded.
// The AWS SDK is CommonJS, and so is in this cache however it was imported.

process.on('exit', () => {
  const { _cache: cache } = /** @type {any} */ (Module);
  const lines = Object.keys(cache).map((file) => `${file}\n`);
  appendFileSync(/** @type {string} */ (process.env.LOADED_MODULES), lines.join(''));
});
