/**
 * Counts the time that this process has of the processors: what a piece of work takes of it, however many others want to
 * work at the same time.
 *
 * @returns {() => number} ms since then
 */
export function startCpuTime() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
