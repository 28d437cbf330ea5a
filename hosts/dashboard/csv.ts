/**
 * One record of a CSV file, with its line end. Every cell is quoted. Source: RFC 4180.
 *
 * A spreadsheet runs a cell that starts with one of `= + - @`, also behind white space, and some also the wide forms of
 * them. An apostrophe in front makes it text. Where the spreadsheet splits at semicolons or tabs instead of commas, a
 * part of a cell becomes a cell, so the same is done after those. Source: OWASP, CSV Injection.
 */
export function csvRecord(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => `"${neutralised(String(cell)).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Spreadsheets read a file without it as Latin-1. */
export const BYTE_ORDER_MARK = '\uFEFF';

function neutralised(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=[\s\p{Cf}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu, "'");
}
