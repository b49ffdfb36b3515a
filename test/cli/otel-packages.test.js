import { test } from 'node:test';
import { requireOtelPackages } from '../../lib/cli/otel-packages.js';

test('the packages of every way out are installed in a clone', () => {
  requireOtelPackages({ otlp: true, prometheus: true });
});
