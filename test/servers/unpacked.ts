/**
 * Where the packages lie that conflict with Dovecot's: unpacked, and not installed. One folder each, by the name of
 * the package.
 */
export const UNPACKED = '/usr/local/lib/countersign-test-servers';
