import type UPlot from 'uplot';

declare global {
  /** The page loads it before its own script. */
  const uPlot: typeof UPlot;
}
