/** Keys that are difficult in a path, a signature, XML, or byte order. S3 accepts all of them. */
export const STRANGE_KEYS = Object.freeze([
  'plain',
  'with blank and  two',
  ' leading and trailing ',
  'plus+and%percent%2Fencoded',
  'question?and=equals&and#hash',
  'quotes\'"(brackets)[]{}*!$,;:@',
  '<xml>&amp;entity;</xml>',
  'back\\slash|pipe^caret`tick~tilde',
  'ümläut/ß',
  '日本語/キー',
  'beyond the plane 😀 \u{10ffff}',
  // In UTF-16 order, the next two would be swapped.
  '\uffee last of the plane',
  '\u{10000} first beyond it',
  'emoji/👩‍👩‍👧',
  'dots./..a/a../...',
  'trailing.',
  'folder/',
  'x'.repeat(1000),
  'ä'.repeat(500),
]);

/** Keys that some servers reject because they map keys to files. */
export const STRANGER_KEYS = Object.freeze([
  '/leading slash',
  '//two/leading',
  'double//slash///inside',
  'control\u0001\u001f\u007f\u0085characters\ttab\nnewline\rreturn',
  'a/./b',
  'a/../b',
  './c',
  '../d',
  '\u{2028}line separator',
]);
