/** Where an owner may have events sent. Which addresses a host may have is checked when a request is sent. */

const URL_CHARS_MAX = 2000;

/** @returns undefined if it is not an HTTPS address that can be posted to */
export function endpointUrl(text: string): string | undefined {
  if (text.length > URL_CHARS_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  return url.protocol === 'https:' && isPlain ? url.href : undefined;
}
