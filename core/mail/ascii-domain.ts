const ASCII_DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/;

/** The name in lower case and in ASCII. Undefined: it is not the name of a domain. An IP address is not one either. */
export function asciiDomain(text: string): string | undefined {
  const name = text.toLowerCase();
  // Only letters, digits and marks: the URL parser would also decode `%65`.
  const ascii = ASCII_DOMAIN.test(name) ? name : /^[\p{L}\p{M}\p{N}.-]+$/u.test(name) ? hostOf(name) : '';
  return ascii.length <= 253 && ASCII_DOMAIN.test(ascii) && !/\.\d+$/.test(ascii) ? ascii : undefined;
}

/** Converts a name by UTS 46. Empty: it cannot be converted. */
function hostOf(name: string): string {
  return URL.canParse(`https://${name}`) ? new URL(`https://${name}`).hostname : '';
}
