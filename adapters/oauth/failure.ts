import * as oauth from 'oauth4webapi';
import { ProviderError } from '../../core/ports/mail-provider.ts';

/** Errors after which only a new sign-in helps. RFC 6749, 5.2; OpenID Connect Core, 3.1.2.6. */
const WITHDRAWN = new Set(['invalid_grant', 'interaction_required', 'login_required', 'consent_required']);
const TEMPORARY = new Set(['server_error', 'temporarily_unavailable']);

/** Converts a failure of a request to a provider. Anything except an error of the protocol counts as temporary. */
export function providerFailure(name: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const fail = (...[code, reason]: ConstructorParameters<typeof ProviderError>) =>
    new ProviderError(code, reason, { cause: error });
  const unavailable = `${name} could not be reached, or did not answer as expected. Try again later.`;
  if (error instanceof oauth.ResponseBodyError) {
    const { error: reported, status } = error;
    if (status === 429 || status >= 500 || TEMPORARY.has(reported)) return fail('unavailable', unavailable);
    if (WITHDRAWN.has(reported)) return fail('withdrawn', `${name} has withdrawn the sign-in.`);
    if (reported === 'access_denied') return fail('denied', `The sign-in was not allowed at ${name}.`);
    if (reported === 'expired_token')
      return fail('invalid_sign_in', 'The sign-in took too long. Begin again.');
    return fail('refused', refusal(name, reported));
  }
  if (error instanceof oauth.AuthorizationResponseError) {
    if (error.error === 'access_denied') return fail('denied', `The sign-in was not allowed at ${name}.`);
    if (TEMPORARY.has(error.error)) return fail('unavailable', unavailable);
    return fail('refused', refusal(name, error.error));
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError && error.status === 401)
    return fail('refused', refusal(name, 'invalid_client'));
  if (error instanceof oauth.OperationProcessingError) {
    const { code, cause } = error;
    if (code === oauth.JWT_TIMESTAMP_CHECK)
      return fail('refused', `The clocks of this machine and of ${name} differ too much.`);
    if (code === oauth.JWT_CLAIM_COMPARISON || code === oauth.JSON_ATTRIBUTE_COMPARISON)
      return fail(
        'refused',
        `The answer is not from ${name}, or the account belongs to a tenant that this installation does not take.`,
      );
    if (code === oauth.INVALID_RESPONSE && hasParameters(cause))
      return fail('invalid_sign_in', `The answer does not belong to this sign-in, or is not from ${name}.`);
  }
  return fail('unavailable', unavailable);
}

/** The library names the parameters of a redirect that it refuses. */
function hasParameters(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'parameters' in cause;
}

/** @param reported  from outside, so only a plain code is shown */
function refusal(name: string, reported: string): string {
  const code = /^[\w.-]{1,60}$/.test(reported) ? reported : 'unknown';
  return `${name} refuses this installation (${code}). Its operator must check the client, its secret, its redirect addresses and its permissions.`;
}
