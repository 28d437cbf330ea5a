/** For each character of the JSON. */
const CHAR_BYTES = 4;

/** The memory that plain data takes, as far as its JSON tells. */
export function jsonBytes(value: object): number {
  return CHAR_BYTES * JSON.stringify(value).length;
}
