/** What the studies use of `ttest`, which comes without types. */
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
