/** Checks the URL of an endpoint. The addresses of its host are only checked when a request is sent. */

export const URL_CHARS_MAX = 2000;

/** @returns undefined if it is not a usable HTTPS URL */
export function endpointUrl(text: string): string | undefined {
  if (text.length > URL_CHARS_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  return url.protocol === 'https:' && isPlain ? url.href : undefined;
}
