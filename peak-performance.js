#!/usr/bin/env node
import { start } from './lib/cli/start.js';

await start(async () => ({ main: (await import('./lib/cli/main.js')).mergeMain }));
