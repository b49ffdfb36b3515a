import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchors, codeSpans, fences, links, shellCommands } from './markdown.js';

const PAGE = `# The \`--size\` of it, & more

See [here](there.md#one) and ![a picture](run.svg), or \`--size 1KiB\`.

## More

\`\`\`bash
# no heading: [no](link.md)
one --a && two \\
  --b    # of two
\`\`\`

1. In a list:

   \`\`\`text
   as it is
   \`\`\`

<!-- not run: it takes long -->

\`\`\`bash
three
\`\`\`

## More
`;

test('links, code and anchors are found as on GitHub, but not in fences', () => {
  assert.deepEqual(links(PAGE), ['there.md#one', 'run.svg']);
  assert.deepEqual(codeSpans(PAGE), ['--size', '--size 1KiB']);
  assert.deepEqual(anchors(PAGE), ['the---size-of-it--more', 'more', 'more-1']);
});

test('fences have their language and the reason not to run them, without list indentation', () => {
  assert.deepEqual(
    fences(PAGE).map(({ language, reasonNotToRun }) => [language, reasonNotToRun]),
    [
      ['bash', null],
      ['text', null],
      ['bash', 'it takes long'],
    ],
  );
  assert.equal(fences(PAGE)[1].text, 'as it is\n');
});

test('shell commands are split, and comments are removed', () => {
  assert.deepEqual(shellCommands(fences(PAGE)[0].text), ['one --a', 'two    --b']);
});
