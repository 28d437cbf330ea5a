/** The result of a tool: the fields of one JSON object. */
export type Result = Readonly<Record<string, unknown>>;

/** The same object if it has no null to leave out. @param isUnset  which fields to leave out if they are null */
export function withoutNulls(
  object: Readonly<Record<string, unknown>>,
  isUnset: (name: string) => boolean = () => true,
): Readonly<Record<string, unknown>> {
  const isLeftOut = ([name, value]: readonly [string, unknown]) => value === null && isUnset(name);
  const fields = Object.entries(object);
  return fields.some(isLeftOut) ? Object.fromEntries(fields.filter((one) => !isLeftOut(one))) : object;
}

/** `withoutNulls` of an object. Anything else as it is. */
export function withoutNullFields(given: unknown, isUnset?: (name: string) => boolean): unknown {
  return isRecord(given) ? withoutNulls(given, isUnset) : given;
}

/** Whether a value is an object with fields, and not a list. */
export function isRecord(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
