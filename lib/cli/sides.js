/**
 * @param {readonly string[]} ofA
 * @param {readonly string[]} ofB
 * @returns {string[]} common lines once, and the others labelled with their side
 */
export function linesOfSides(ofA, ofB) {
  return [
    ...ofA.filter((line) => ofB.includes(line)),
    ...ofA.filter((line) => !ofB.includes(line)).map((line) => `A: ${line}`),
    ...ofB.filter((line) => !ofA.includes(line)).map((line) => `B: ${line}`),
  ];
}
