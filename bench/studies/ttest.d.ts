/** The parts of the untyped package `ttest` that the studies use. */
declare module 'ttest' {
  interface Test {
    testValue(): number;
    freedom(): number;
    pValue(): number;
    confidence(): [number, number];
  }

  export default function ttest(
    left: readonly number[],
    right: readonly number[],
    options: { varEqual: boolean; alpha: number },
  ): Test;
}
