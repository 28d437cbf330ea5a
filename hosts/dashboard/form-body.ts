import type { IncomingMessage } from 'node:http';

const FORM_BYTES_MAX = 64 * 1024;

export type FormBody =
  | { readonly kind: 'read'; readonly fields: URLSearchParams }
  | { readonly kind: 'not_a_form' }
  | { readonly kind: 'too_large' };

/** Reads the body of a form. If it refuses the body, the rest stays unread. */
export async function readForm(request: IncomingMessage): Promise<FormBody> {
  const [type] = (request.headers['content-type'] ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return { kind: 'not_a_form' };
  if (Number(request.headers['content-length'] ?? 0) > FORM_BYTES_MAX) return { kind: 'too_large' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > FORM_BYTES_MAX) return { kind: 'too_large' };
    chunks.push(chunk);
  }
  return { kind: 'read', fields: new URLSearchParams(Buffer.concat(chunks).toString('utf8')) };
}
