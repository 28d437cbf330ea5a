import { canonicalJson, digestOf } from '../text/canonical-json.ts';
import { comparableText } from '../text/plain-text.ts';

/** The caller's own words. Everything else (targets, recipients, times) is compared exactly. */
const WORDED: ReadonlySet<string> = new Set(['subject', 'body', 'note', 'title', 'keywords', 'label']);

/** Returns the SHA-256, hex, of a tool and its resolved arguments: equal for the same request. */
export function requestHash(tool: string, request: Readonly<Record<string, unknown>>): string {
  return digestOf(canonicalJson([tool, request]));
}

/**
 * Returns a hash that ignores spacing, case, punctuation, invisible characters and letter forms, so that a
 * rejected request does not come back in a slightly different wording. Equal requests have equal hashes.
 */
export function similarHash(tool: string, request: Readonly<Record<string, unknown>>): string {
  const similar: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    similar[name] = WORDED.has(name) && typeof value === 'string' ? comparableText(value) : value;
  }
  return requestHash(tool, similar);
}
