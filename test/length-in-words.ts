const MOST = / At most (\d+) characters\.$/;

/** The bound of a text that is too high for the published schema. It ends the description. */
export function lengthInWords(description: unknown): number | undefined {
  const [, most] = (typeof description === 'string' && MOST.exec(description)) || [];
  return most === undefined ? undefined : Number(most);
}

/** The description without that bound. */
export function withoutLength(description: string): string {
  return description.replace(MOST, '');
}
