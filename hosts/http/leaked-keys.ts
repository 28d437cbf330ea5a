import { KEY_PATTERN } from '../../core/keys/credential.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { percentDecoded } from '../../core/text/percent-decoded.ts';

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

/** Revokes keys that were in a URL. They are no longer safe, even if the request fails for a different reason. */
export async function revokeLeakedKeys(
  { keys }: { readonly keys: Pick<Keys, 'revokeLeaked'> },
  leaked: readonly string[],
): Promise<void> {
  for (const key of leaked) await keys.revokeLeaked(key);
}
