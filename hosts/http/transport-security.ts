/**
 * Strict-Transport-Security for a host with a public https URL: browsers then refuse plain HTTP to it for a year.
 * Without includeSubDomains and preload, because they would affect hosts that are not Countersign's. Empty for http.
 */
export function transportSecurity(publicUrl: string): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}
