/**
 * Node raises the soft limit on open files to the hard limit at startup, so the hard limit applies.
 *
 * @param {{ getReport: () => object, excludeNetwork?: boolean }} report of the process
 * @returns {number} files that the process can have open; Infinity if unlimited or unknown
 */
export function openFileLimit(report) {
  const { excludeNetwork } = report;
  // Resolving the names of all connections would take too long.
  report.excludeNetwork = true;
  const { userLimits } = /** @type {any} */ (report.getReport());
  report.excludeNetwork = excludeNetwork;
  const hard = userLimits?.open_files?.hard;
  return typeof hard === 'number' ? hard : Infinity;
}
