/**
 * The service's log. Fields are codes, counts, durations and opaque ids; never a secret, an address, a subject or a
 * body. The message of an error may quote a server, so only its name and code are logged.
 */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The loggable parts of an error: its name, its code if it has one, and the name of the statement that a store failed at. */
export function errorName(error: unknown): {
  readonly error: string;
  readonly code: string | undefined;
  readonly statement: string | undefined;
} {
  if (!(error instanceof Error)) return { error: typeof error, code: undefined, statement: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: error.name, code, statement: statementOf(error) };
}

/** Of the error or its cause: a store that cannot be reached fails with the driver's error as the cause. */
function statementOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('statement' in error && typeof error.statement === 'string') return error.statement;
  return statementOf(error.cause);
}
