/**
 * Measures this process's CPU time: the cost of a piece of work however busy the machine is.
 *
 *
 * @returns {() => number} ms since the call
 */
export function startCpuTime() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
