import { headerOf } from '../http/request-head.ts';
import { browserName } from './browser-name.ts';
import { readCookie } from './cookies.ts';
import { readProofKey } from './forms/form-proof.ts';
import { KEY_FIELD } from './forms/signed-form.ts';
import type { Visit } from './visit.ts';

/** What a check of a password, code or passkey knows of the browser. */
export function browserFacts({ address, head, cookies, fields }: Visit) {
  return {
    address,
    /** The value of the device cookie. */
    device: readCookie(headerOf(head, 'cookie'), cookies.device),
    /** The public key with which the browser signs its forms from then on. */
    proofKey: readProofKey(fields.get(KEY_FIELD)),
  };
}

/** The same, with the words that describe the browser in the list of sessions. */
export function newSessionFacts(visit: Visit) {
  return { ...browserFacts(visit), browser: browserName(headerOf(visit.head, 'user-agent')) };
}
