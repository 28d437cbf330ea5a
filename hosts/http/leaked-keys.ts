import { KEY_PATTERN } from '../../core/gate/credential.ts';

/** More rounds of encoding than any proxy or client adds. Limits the work that one URL can cause. */
const ROUNDS = 6;
const KEYS_MAX = 8;

/** Finds keys in a request target, even if it was encoded several times. Returns at most `KEYS_MAX`. */
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

/** Leaves malformed sequences unchanged, because the rest may still hide a key. Keys are ASCII. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
