import { describe, expect, it } from 'vitest';
import { parseCalendarUrl } from '../../../adapters/caldav/settings.ts';

describe('the address of a calendar server', () => {
  it.each([
    ['https://dav.example.org', undefined, 'https://dav.example.org/'],
    ['https://you@dav.example.org/dav/', 'you', 'https://dav.example.org/dav/'],
    ['https://you@example.org@dav.example.org/', 'you@example.org', 'https://dav.example.org/'],
    ['https://you%40example.org@dav.example.org/', 'you@example.org', 'https://dav.example.org/'],
    [
      'https://dav.example.org/v2/you@example.org/user',
      undefined,
      'https://dav.example.org/v2/you@example.org/user',
    ],
    ['https://you@dav.example.org/v2/a@b;c/', 'you', 'https://dav.example.org/v2/a@b;c/'],
    ['HTTPS://[2001:db8::1]:8443/a@b/', undefined, 'https://[2001:db8::1]:8443/a@b/'],
    ['http://127.0.0.1:5232/', undefined, 'http://127.0.0.1:5232/'],
  ])('%s names the user and the server', (text, user, url) => {
    expect(parseCalendarUrl(text)).toEqual({ user, url });
  });

  it.each([
    ['https://you:secret@dav.example.org/', /password does not belong/],
    ['http://dav.example.org/', /loopback/],
    ['http://you@dav.example.org/@127.0.0.1/', /loopback/],
    ['ftp://dav.example.org/', /of the form/],
    ['https://dav.example.org/?a=b', /end after the path/],
    ['dav.example.org', /of the form/],
  ])('%s is refused', (text, why) => {
    expect(() => parseCalendarUrl(text)).toThrow(why);
  });
});
