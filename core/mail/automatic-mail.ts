import type { HeaderField } from './header-fields.ts';

const TO_MANY: readonly string[] = ['bulk', 'junk', 'list'];

/** What programs and lists say of the mail that they send (RFC 3834, RFC 2919, RFC 5321 4.5.5, and common use). */
const SIGNS: Readonly<Record<string, (value: string) => boolean>> = {
  'auto-submitted': (value) => value !== '' && value !== 'no',
  precedence: (value) => TO_MANY.includes(value),
  'list-id': () => true,
  'x-auto-response-suppress': (value) => value !== '' && value !== 'none',
  'return-path': (value) => value === '<>',
};

export function isAutomatic(headers: readonly HeaderField[]): boolean {
  return headers.some(({ key, value }) => Object.hasOwn(SIGNS, key) && SIGNS[key]?.(wordOf(value)) === true);
}

/** Whether it went to the members of a list, or to many people at once (RFC 2369 and RFC 2919, and common use). */
export function isFromList(headers: readonly HeaderField[]): boolean {
  return headers.some(({ key, value }) =>
    key === 'precedence' ? TO_MANY.includes(wordOf(value)) : key === 'list-id' || key === 'list-unsubscribe',
  );
}

/** Without parameters and comments. */
function wordOf(value: string): string {
  const [word = ''] = value.toLowerCase().split(/[;(]/, 1);
  return word.trim();
}
