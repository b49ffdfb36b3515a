#!/usr/bin/env node
import { start } from './lib/cli/start.js';

await start(() => import('./lib/cli/merge.js'));
