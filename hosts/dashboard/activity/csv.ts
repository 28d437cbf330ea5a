/**
 * One record of a CSV file, with its line end. Every cell is quoted. Source: RFC 4180.
 *
 * Spreadsheets run a cell that starts with one of `= + - @`, even after white space, and some also with their
 * full-width forms. An apostrophe in front makes the cell text. Some spreadsheets split at semicolons or tabs, so a
 * cell can also start after one of those. Source: OWASP, CSV Injection.
 */
export function csvRecord(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => `"${neutralised(String(cell)).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Spreadsheets read a file without it as Latin-1. */
export const BYTE_ORDER_MARK = '\uFEFF';

function neutralised(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=[\s\p{Cf}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu, "'");
}
