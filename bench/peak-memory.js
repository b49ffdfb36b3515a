import { writeFileSync } from 'node:fs';

// Loaded in front of a program (`node --import`): writes the most memory that the process had resident, in KiB, to the
// file that PEAK_MEMORY_FILE names.
process.on('exit', () => writeFileSync(String(process.env.PEAK_MEMORY_FILE), String(process.resourceUsage().maxRSS)));
