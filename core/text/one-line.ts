/**
 * Puts text on one line: each run of white space, control characters and lone surrogates becomes one space, and none is
 * left at either end.
 */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Surrogate}]+/gu, ' ').trim();
}
