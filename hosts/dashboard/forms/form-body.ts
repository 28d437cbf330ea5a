import { isEncoded } from '../../http/body-rules.ts';
import { BodyTooLarge } from '../../http/read-body.ts';
import type { ReadBody } from '../../http/request.ts';
import { headerOf, type RequestHead } from '../../http/request-head.ts';

/** Room for a text of 50,000 letters that the owner changes. */
const FORM_BYTES_MAX = 256 * 1024;

export type FormBody =
  | { readonly kind: 'read'; readonly fields: URLSearchParams }
  | { readonly kind: 'not_a_form' }
  | { readonly kind: 'too_large' };

/** Reads the body of a form. @throws BodyLost, BodyTaken */
export async function readForm(head: RequestHead, readBody: ReadBody): Promise<FormBody> {
  const [type = ''] = (headerOf(head, 'content-type') ?? '').split(';');
  const isForm = type.trim().toLowerCase() === 'application/x-www-form-urlencoded' && !isEncoded(head);
  if (!isForm) return { kind: 'not_a_form' };
  if (Number(headerOf(head, 'content-length') ?? 0) > FORM_BYTES_MAX) return { kind: 'too_large' };
  try {
    const body = await readBody();
    if (body.length > FORM_BYTES_MAX) return { kind: 'too_large' };
    return { kind: 'read', fields: new URLSearchParams(Buffer.from(body).toString('utf8')) };
  } catch (error) {
    if (error instanceof BodyTooLarge) return { kind: 'too_large' };
    throw error;
  }
}
