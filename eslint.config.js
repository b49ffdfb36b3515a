import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['**/node_modules/', 'coverage/', 'types/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      curly: 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-duplicate-imports': 'error',
      'no-else-return': 'error',
      'no-implicit-coercion': 'error',
      'no-param-reassign': 'error',
      'no-shadow': 'error',
      'no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-useless-rename': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
    },
  },
  {
    files: ['lib/report/html/browser/**'],
    languageOptions: { globals: { ...globals.browser, uPlot: 'readonly' } },
  },
  {
    files: ['edge/**'],
    languageOptions: { globals: { ...globals.node, FixedLengthStream: 'readonly' } },
  },
  {
    files: ['test/helpers/browser.js', 'test/browser/**', 'scripts/screenshots.js'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];
