/** What a form's signature covers. The page's script signs this text, and `form-proof.ts` checks it. */

/** A field that the dashboard itself reads; other fields belong to the page. */
export const PROOF_FIELD = 'form_proof';
/** The public half of a new key, sent together with the password that vouches for it. */
export const KEY_FIELD = 'proof_key';

export interface SignedForm {
  /** The page's origin, as its browser sees it. */
  readonly origin: string;
  readonly sessionId: string;
  readonly path: string;
  /** Names and values in order, without the proof. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Browsers send every line break as CR LF. */
export function signedText({ origin, sessionId, path, fields }: SignedForm, nonce: string): string {
  const lines = (text: string) => text.replace(/\r\n|\r|\n/g, '\r\n');
  const pairs = fields.map(([name, value]) => [lines(name), lines(value)]);
  return JSON.stringify(['countersign form 1', origin, sessionId, 'POST', path, nonce, pairs]);
}
