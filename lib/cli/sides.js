/**
 * @param {readonly string[]} ofA
 * @param {readonly string[]} ofB
 * @returns {string[]} those that both have once, and the others with the name of their side
 */
export function linesOfSides(ofA, ofB) {
  return [
    ...ofA.filter((line) => ofB.includes(line)),
    ...ofA.filter((line) => !ofB.includes(line)).map((line) => `A: ${line}`),
    ...ofB.filter((line) => !ofA.includes(line)).map((line) => `B: ${line}`),
  ];
}
