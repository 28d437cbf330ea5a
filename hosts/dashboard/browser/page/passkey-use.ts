import type { NewPasskeyAnswer, PasskeyAnswer } from '../../../../core/secrets/passkey-answers.ts';
import type { NewPasskeyOptions, PasskeyOptions } from '../../owners/passkey-options.ts';
import { base64url, bytesOf } from './base64url.ts';

// Extensions answer with objects of their own, so these check no class.

function isPublicKey(credential: Credential | null): credential is PublicKeyCredential {
  return credential?.type === 'public-key';
}

function isCreation(response: AuthenticatorResponse): response is AuthenticatorAttestationResponse {
  return 'getAuthenticatorData' in response;
}

function isAssertion(response: AuthenticatorResponse): response is AuthenticatorAssertionResponse {
  return 'signature' in response;
}

const textBytes = (text: string) => new TextEncoder().encode(text);

/** @throws DOMException or TypeError if there is no new passkey */
export async function createPasskey(options: NewPasskeyOptions): Promise<NewPasskeyAnswer> {
  const { challenge, host, handle, email, exclude, algorithms } = options;
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: textBytes(challenge),
      rp: { id: host, name: 'Countersign' },
      user: { id: bytesOf(handle), name: email, displayName: email },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: exclude.map((id) => ({ type: 'public-key', id: bytesOf(id) })),
    },
  });
  if (!isPublicKey(credential) || !isCreation(credential.response)) throw new TypeError('not a passkey');
  const { response } = credential;
  return {
    client: base64url(response.clientDataJSON),
    data: base64url(response.getAuthenticatorData()),
    key: base64url(response.getPublicKey()),
  };
}

/** @throws DOMException or TypeError if no passkey answered */
export async function usePasskey({ challenge, host }: PasskeyOptions): Promise<PasskeyAnswer> {
  const credential = await navigator.credentials.get({
    publicKey: { challenge: textBytes(challenge), rpId: host, userVerification: 'required' },
  });
  if (!isPublicKey(credential) || !isAssertion(credential.response)) throw new TypeError('not a passkey');
  const { id, response } = credential;
  return {
    id,
    user: base64url(response.userHandle),
    client: base64url(response.clientDataJSON),
    data: base64url(response.authenticatorData),
    signature: base64url(response.signature),
  };
}
