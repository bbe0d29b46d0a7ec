/** `texts`: columns that are no numbers; by default all. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts?: readonly number[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, i) => (texts?.includes(i) === false ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
