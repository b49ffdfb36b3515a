import { writeFileSync } from 'node:fs';

// Preloaded into a program (`node --import`): writes the peak resident memory of the process, in KiB, to the file named by
// PEAK_MEMORY_FILE.
process.on('exit', () => writeFileSync(String(process.env.PEAK_MEMORY_FILE), String(process.resourceUsage().maxRSS)));
