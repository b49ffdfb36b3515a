/**
 * An observer that records all events.
 *
 * @returns {{ observer: any, events: [events: string, ...parameters: any[]][] }}
 */
export function recordingObserver() {
  /** @type {[events: string, ...parameters: any[]][]} */
  const events = [];
  const observer = new Proxy(
    {},
    {
      get:
        (_target, name) =>
        (/** @type {any[]} */ ...parameters) =>
          events.push([String(name), ...parameters]),
    },
  );
  return { observer, events };
}
