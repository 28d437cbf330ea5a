/**
 * Whether two domains may belong to one organisation: their last two labels are the same, or three below `co.uk` and its
 * like. An estimate without a list of public suffixes. Pure.
 */
export function areOneSite(a: string, b: string): boolean {
  return siteOf(a) === siteOf(b);
}

function siteOf(domain: string): string {
  const labels = domain.toLowerCase().split('.');
  const [last = '', second = ''] = labels.toReversed();
  const isBelowCountry = last.length === 2 && second.length <= 3;
  return labels.slice(isBelowCountry ? -3 : -2).join('.');
}
