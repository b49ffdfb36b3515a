/**
 * Node raises the soft limit on open files to the hard one when it starts, so that the hard one decides.
 *
 * @param {{ getReport: () => object, excludeNetwork?: boolean }} report of the process
 * @returns {number} files that the process may have open, Infinity if there is no limit, or it is unknown
 */
export function openFileLimit(report) {
  const { excludeNetwork } = report;
  // Looking up the names of all connections would take its time.
  report.excludeNetwork = true;
  const { userLimits } = /** @type {any} */ (report.getReport());
  report.excludeNetwork = excludeNetwork;
  const hard = userLimits?.open_files?.hard;
  return typeof hard === 'number' ? hard : Infinity;
}
