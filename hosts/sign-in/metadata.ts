import { resourceOf } from '../../core/keys/sign-in/request.ts';

/** The documents that tell a client how to sign in. */

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
export const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/**
 * Source: RFC 9728. It names no scopes, so that clients ask for none: the owner chooses.
 * @param issuer  the address of this host, as the client knows it
 */
export function resourceMetadata(issuer: string) {
  return {
    resource: resourceOf(issuer),
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    resource_name: 'Countersign',
  };
}

/** Sources: RFC 8414; RFC 9207; draft-ietf-oauth-client-id-metadata-document. */
export function serverMetadata(issuer: string, fetchesDocuments: boolean) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: fetchesDocuments,
  };
}

/**
 * Returns the value of WWW-Authenticate on a 401. The well-known name comes before the path of the resource.
 * Sources: RFC 9728, 3.1 and 5.1; RFC 6750, 3.
 */
export function challenge(issuer: string, hasToken: boolean): string {
  const { origin, pathname } = new URL(resourceOf(issuer));
  const metadata = `Bearer resource_metadata="${origin}${RESOURCE_METADATA}${pathname}"`;
  return hasToken ? `${metadata}, error="invalid_token"` : metadata;
}
