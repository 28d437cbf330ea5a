/** Why a message could not be passed on. */
export interface Problem {
  /** One line that says what is wrong and what to do. */
  readonly text: string;
  /** What the server returned. */
  readonly data?: unknown;
  /** The user must change something; the client can only show it. */
  readonly isForUser: boolean;
}

/** @param cause  what `fetch` threw */
export function unreachableProblem(url: string, cause: unknown): Problem {
  const code = codeOf(cause);
  const { origin } = new URL(url);
  const text = /CERT|SIGNED|ISSUER|VERIFY|TLS|SSL/.test(code)
    ? `The TLS certificate of ${origin} is not accepted (${code}). If its authority is your own, set NODE_EXTRA_CA_CERTS to the file of its certificate.`
    : `No server answers at ${origin} (${code}). Start it with "countersign serve", or set COUNTERSIGN_BASE_URL to its address.`;
  return { text, isForUser: true };
}

/** The connection ended before the answer was complete. */
export function brokenProblem(url: string): Problem {
  const { origin } = new URL(url);
  const text = `The connection to ${origin} ended before the answer was complete. If the call was a write, it may have happened: read list_approvals with state "all" before you repeat it.`;
  return { text, isForUser: false };
}

/** @param refusal  the error of the API; undefined: the answer is something else */
export function refusalProblem(
  url: string,
  status: number,
  refusal: { readonly code: string; readonly message: string } | undefined,
): Problem {
  const { origin } = new URL(url);
  if (refusal === undefined) {
    const text = `${url} is not the tool door of Countersign (HTTP ${status}). Set COUNTERSIGN_BASE_URL to the address that the server prints as API.`;
    return { text, isForUser: true };
  }
  if (refusal.code === 'invalid_token') {
    const text = `${origin} refuses the key: it is unknown, revoked or expired. Create a key on the dashboard (Integrations, Create key) and set COUNTERSIGN_API_KEY to it.`;
    return { text, data: refusal, isForUser: true };
  }
  if (refusal.code === 'misdirected_request') {
    const text = `The server at ${origin} has another public address. Set COUNTERSIGN_BASE_URL to the address that the server prints as API.`;
    return { text, data: refusal, isForUser: true };
  }
  return { text: `${refusal.code}: ${refusal.message}`, data: refusal, isForUser: false };
}

/** The code of a system or TLS error that `fetch` wraps. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : codeOf(error.cause);
}
