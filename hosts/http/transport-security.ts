/**
 * Strict-Transport-Security for a host whose public address is https: browsers then refuse plain HTTP to it for a year.
 * Without includeSubDomains and preload, which would decide for hosts that are not Countersign's. Empty for http.
 */
export function transportSecurity(publicUrl: string): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}
