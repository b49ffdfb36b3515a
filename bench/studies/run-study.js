/**
 * Runs a study and reports a failure in one line with exit status 1.
 *
 * @param {() => Promise<void>} study
 */
export async function runStudy(study) {
  try {
    await study();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
