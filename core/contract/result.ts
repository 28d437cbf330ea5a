/** The result of a tool: the fields of one JSON object. */
export type Result = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields, and not a list. */
export function isRecord(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
