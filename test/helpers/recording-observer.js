/**
 * An observer that writes down whatever it is told.
 *
 * @returns {{ observer: any, told: [told: string, ...parameters: any[]][] }}
 */
export function recordingObserver() {
  /** @type {[told: string, ...parameters: any[]][]} */
  const told = [];
  const observer = new Proxy(
    {},
    {
      get:
        (_target, name) =>
        (/** @type {any[]} */ ...parameters) =>
          told.push([String(name), ...parameters]),
    },
  );
  return { observer, told };
}
