import { readFile } from 'node:fs/promises';

/**
 * Reads what a client has measured.
 *
 * @param {string} file its result as JSON
 * @returns {Promise<any[] | null>} the stages; null where it did not do its work
 */
export async function readStages(file) {
  try {
    const { stages } = JSON.parse(await readFile(file, 'utf8'));
    return stages.length === 0 || stages.some(hasFailed) ? null : stages;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/**
 * On a host that is busy with others, a stage may end before any operation does: that proves nothing, and is no failure.
 *
 * @param {any} stage
 */
function hasFailed({ end, failed, integrityErrors }) {
  return end !== 'complete' || failed > 0 || integrityErrors > 0;
}
