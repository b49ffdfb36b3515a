import type UPlot from 'uplot';

declare global {
  /** The page has it before the script. */
  const uPlot: typeof UPlot;
}
