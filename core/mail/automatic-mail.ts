import type { HeaderField } from './header-fields.ts';

/** What programs and lists say of the mail that they send (RFC 3834, RFC 2919, RFC 5321 4.5.5, and common use). */
const SIGNS: Readonly<Record<string, (value: string) => boolean>> = {
  'auto-submitted': (value) => value !== '' && value !== 'no',
  precedence: (value) => ['bulk', 'junk', 'list'].includes(value),
  'list-id': () => true,
  'x-auto-response-suppress': (value) => value !== '' && value !== 'none',
  'return-path': (value) => value === '<>',
};

export function isAutomatic(headers: readonly HeaderField[]): boolean {
  return headers.some(({ key, value }) => {
    // Without parameters and comments.
    const [word = ''] = value.toLowerCase().split(/[;(]/, 1);
    return Object.hasOwn(SIGNS, key) && SIGNS[key]?.(word.trim()) === true;
  });
}
