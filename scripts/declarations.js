import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOptionsType } from './run-options.js';

// Writes the declarations of lib/index.js, and of everything it imports, to types/ for the package.

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LIB = path.join(ROOT, 'lib');
const TYPES = path.join(ROOT, 'types');

rmSync(TYPES, { recursive: true, force: true });
// The compiler does not copy handwritten declarations.
cpSync(LIB, TYPES, { recursive: true, filter: (file) => statSync(file).isDirectory() || file.endsWith('.d.ts') });
writeFileSync(path.join(TYPES, 'run/run-options.d.ts'), runOptionsType());
execFileSync(
  path.join(ROOT, 'node_modules/.bin/tsc'),
  [
    ...[path.join(LIB, 'index.js'), '--ignoreConfig', '--rootDir', LIB, '--outDir', TYPES],
    ...['--allowJs', '--declaration', '--emitDeclarationOnly', '--strict', '--skipLibCheck'],
    ...['--target', 'es2023', '--module', 'nodenext', '--types', 'node'],
  ],
  { stdio: 'inherit' },
);

const reached = new Set([path.join(TYPES, 'index.d.ts')]);
for (const file of reached) {
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
    const imported = path.resolve(path.dirname(file), specifier).replace(/\.js$/, '.d.ts');
    if (existsSync(imported)) {
      reached.add(imported);
    }
  }
}
const files = readdirSync(TYPES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
files
  .map(({ parentPath, name }) => path.join(parentPath, name))
  .filter((file) => !reached.has(file))
  .forEach((file) => rmSync(file));
// The compiler copies the asterisk of a comment's line in the middle of a type.
reached.forEach((file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(?<=[|,&<]) \*\s+(?=\S)/g, ' ')));
