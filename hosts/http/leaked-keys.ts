import { KEY_PATTERN } from '../../core/gate/credential.ts';

/** More rounds of decoding than any proxy or client adds; they bound the work that one address can ask for. */
const ROUNDS = 6;
const KEYS_MAX = 8;

/** What looks like a key in a request target, however often it was encoded on its way; at most 8 of them. */
export function leakedKeys(target: string): string[] {
  const found = new Set<string>();
  let text = target;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [key] of text.matchAll(KEY_PATTERN)) found.add(key);
    const decoded = percentDecoded(text);
    if (decoded === text) break;
    text = decoded;
  }
  return [...found].slice(0, KEYS_MAX);
}

/** Leaves alone what is not well-formed: the rest may still hide a key. Keys are ASCII. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
