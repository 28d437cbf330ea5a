import { canonicalJson, digestOf } from '../text/canonical-json.ts';
import { comparableText } from '../text/plain-text.ts';

/** What the caller wrote in its own words. Everything else (targets, recipients, times) is compared as it is. */
const WORDED: ReadonlySet<string> = new Set(['subject', 'body', 'note', 'title', 'keywords', 'label']);

/** SHA-256, hex, of a tool and its resolved arguments: what two requests must have in common to be the same. */
export function requestHash(tool: string, request: Readonly<Record<string, unknown>>): string {
  return digestOf(canonicalJson([tool, request]));
}

/**
 * The same for requests that differ only in spacing, case, punctuation, what does not show or the form of letters: what
 * the owner rejected once does not come back in other clothes. The same request always has the same.
 */
export function similarHash(tool: string, request: Readonly<Record<string, unknown>>): string {
  const similar: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    similar[name] = WORDED.has(name) && typeof value === 'string' ? comparableText(value) : value;
  }
  return requestHash(tool, similar);
}
