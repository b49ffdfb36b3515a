/**
 * Formats a table as text, with the first column left-aligned and all others right-aligned.
 *
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows each as long as the header
 * @returns {string} lines, each with a line feed
 */
export function formatTable(header, rows) {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  return lines
    .map((cells) => {
      const [first, ...others] = cells.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]),
      );
      return `${[first, ...others].join('  ').trimEnd()}\n`;
    })
    .join('');
}
