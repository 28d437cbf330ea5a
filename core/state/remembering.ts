import { boundedCache } from '../memory/bounded-cache.ts';

/** Some 1000 texts: more than the credentials and accounts at work at one time have between them. */
const REMEMBERED_BYTES = 2 * 1024 * 1024;
/** Of a value, and for each character that it was parsed from. */
const PARSED_BYTES = 200;
const PARSED_CHAR_BYTES = 8;

/**
 * Parses a column that is read on every call: the same text gives the same value, which nobody may change.
 * @throws what `parse` throws
 */
export function remembering<Value extends object>(parse: (text: string) => Value): (text: string) => Value {
  const values = boundedCache<{ readonly value: Value; readonly chars: number }>(
    REMEMBERED_BYTES,
    ({ chars }) => PARSED_BYTES + PARSED_CHAR_BYTES * chars,
  );
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known.value;
    const value = parse(text);
    values.set(text, { value, chars: text.length });
    return value;
  };
}
