/** Why an OAuth endpoint refuses a request. Sources: RFC 6749, 4.1.2.1 and 5.2; RFC 7591, 3.2.2; RFC 8707, 2. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_client_metadata'
  | 'invalid_redirect_uri'
  | 'temporarily_unavailable';

export interface Refusal {
  readonly kind: 'refused';
  readonly error: OAuthError;
  /** One sentence for the developer of the client. */
  readonly description: string;
}

export function refused(error: OAuthError, description: string): Refusal {
  return { kind: 'refused', error, description };
}

/**
 * Returns the parameters by name, without empty ones, which count as missing.
 * @returns a refusal if one is repeated (RFC 6749, 3.1 and 3.2)
 */
export function readParameters(given: URLSearchParams): ReadonlyMap<string, string> | Refusal {
  const parameters = new Map<string, string>();
  for (const [name, value] of given) {
    if (value === '') continue;
    if (parameters.has(name)) return refused('invalid_request', 'A parameter is repeated.');
    parameters.set(name, value);
  }
  return parameters;
}
