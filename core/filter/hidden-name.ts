import type { Severity } from '../safety/finding.ts';
import { unicodeDomain } from '../safety/punycode.ts';

/** Finds a name that a longer host name starts with, as in `paypal.com.evil.example`. Pure. */

/** Labels that end names, and that hosts hardly use inside theirs. */
const ENDS = new Set(['com', 'gov']);
/** The same, but companies use them inside their names too: `static.net.atlas.example`. */
const SOMETIMES_ENDS = new Set(['net', 'org', 'edu']);
/** `co.uk` and its like. */
const SECOND_LEVEL = new Set(['ac', 'co', 'com', 'gov', 'net', 'org']);

export interface HiddenName {
  readonly name: string;
  readonly severity: Severity;
}

export function hiddenName(host: string): HiddenName | undefined {
  const labels = unicodeDomain(host).split('.');
  const lastName = labels.findLastIndex((label) => !isCountry(label));
  for (let at = 1; at < labels.length - 1; at++) {
    const label = labels[at] ?? '';
    const restCount = labels.length - at - 1;
    const upTo = (count: number) => labels.slice(0, at + count).join('.');
    // `paypal.com-login.example`
    const [start = '', ...others] = label.split('-');
    if (ENDS.has(start) && others.length > 0) {
      return { name: [...labels.slice(0, at), start].join('.'), severity: 'red' };
    }
    if (SECOND_LEVEL.has(label) && restCount > 2 && isCountry(labels[at + 1]))
      return { name: upTo(2), severity: 'red' };
    // `example.com.au`, `example.gov.bc.ca`
    if (restCount < 2 || lastName <= at) continue;
    if (ENDS.has(label)) return { name: upTo(1), severity: 'red' };
    if (SOMETIMES_ENDS.has(label)) return { name: upTo(1), severity: 'amber' };
  }
  return undefined;
}

function isCountry(label = ''): boolean {
  return /^[a-z]{2}$/.test(label);
}
