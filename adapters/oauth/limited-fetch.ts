import { withTimeLimit } from '../remote/time-limit.ts';

/** Less than the lease of a grant, so that no second process begins meanwhile. */
const TIME_LIMIT_MS = 20_000;
const BODY_BYTES_MAX = 256 * 1024;

/** `fetch` with limits on the time and size of an answer, and without redirects. @throws Error beyond them */
export async function limitedFetch(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: BodyInit | null | undefined },
  timeLimitMs = TIME_LIMIT_MS,
): Promise<Response> {
  const { method, headers, body = null } = init;
  return withTimeLimit({ signal: new AbortController().signal, ms: timeLimitMs }, async (signal) => {
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      // Leaving the loop cancels the rest.
      if (bytes > BODY_BYTES_MAX) throw new Error('the answer is too large');
      chunks.push(chunk);
    }
    const { status } = response;
    return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, headers: response.headers });
  });
}
