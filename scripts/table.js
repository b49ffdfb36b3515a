/**
 * @param {readonly (readonly string[])[]} rows headings first
 * @returns {string} a Markdown table
 */
export function table([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length), '---'.length));
  const rule = widths.map((width) => '-'.repeat(width));
  const lines = [head, rule, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join(' | '));
  return lines.map((line) => `| ${line} |\n`).join('');
}
