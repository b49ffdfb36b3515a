/**
 * @param {readonly string[]} ofA
 * @param {readonly string[]} ofB
 * @returns {string[]} those that both have once, and the others with the name of their side
 */
export function problemsOfSides(ofA, ofB) {
  return [
    ...ofA.filter((problem) => ofB.includes(problem)),
    ...ofA.filter((problem) => !ofB.includes(problem)).map((problem) => `A: ${problem}`),
    ...ofB.filter((problem) => !ofA.includes(problem)).map((problem) => `B: ${problem}`),
  ];
}
