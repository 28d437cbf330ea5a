/** A path whose characters mean the same in a URL, a cookie, a header and a page. Empty: the root. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/;

/** Returns the path of an address without a slash at its end. Undefined if it is not a path of plain characters. */
export function readBasePath(text: string): string | undefined {
  const path = text.replace(/\/$/, '');
  return BASE_PATH.test(path) ? path : undefined;
}
