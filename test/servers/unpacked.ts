/**
 * Where packages that conflict with Dovecot's are unpacked, not installed. One folder each, named after the package.
 */
export const UNPACKED = '/usr/local/lib/countersign-test-servers';
