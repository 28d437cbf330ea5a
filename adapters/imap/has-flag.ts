/**
 * Whether a message has the flag, or a folder the attribute. Both are case-insensitive (RFC 9051, 2.3.2 and 7.3.1).
 * @param name  in lower case
 */
export function hasFlag(flags: ReadonlySet<string> | undefined, name: string): boolean {
  return [...(flags ?? [])].some((flag) => flag.toLowerCase() === name);
}
