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

/**
 * The loggable parts of an error: its name, its code and that of its cause (`SQLITE_FULL`, `ECONNREFUSED`) if they have
 * one, and the name of the statement that a store failed at.
 */
export function errorName(error: unknown): {
  readonly error: string;
  readonly code: string | undefined;
  readonly cause: string | undefined;
  readonly statement: string | undefined;
} {
  const code = codeOf(error);
  const cause = error instanceof Error ? causeCode(error.cause) : undefined;
  const name = error instanceof Error ? error.name : typeof error;
  return { error: name, code, cause: cause === code ? undefined : cause, statement: statementOf(error) };
}

/** The code of the innermost cause that has one. */
function causeCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return causeCode(error.cause) ?? codeOf(error);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Of the error or its cause: a store that cannot be reached fails with the driver's error as the cause. */
function statementOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('statement' in error && typeof error.statement === 'string') return error.statement;
  return statementOf(error.cause);
}
