/**
 * Where the service says what went on. Fields are codes, counts, durations and opaque ids; never a secret,
 * an address, a subject or a body. An error's own text may quote a server: it is not logged, its name and code are.
 */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What of an error may be logged: its name, and its code where it has one. */
export function named(error: unknown): { readonly error: string; readonly code: string | undefined } {
  if (!(error instanceof Error)) return { error: typeof error, code: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: error.name, code };
}
