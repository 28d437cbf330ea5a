import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ENCRYPTED, withoutCiphertext } from '../../../core/mime/inline-pgp.ts';
import { parseMessage } from '../../../core/mime/parse.ts';

/** Messages as PGP programs write them, and what people do to them: quote, forward, cut off. */

const base64 = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => Buffer.from(bytes).toString('base64'));

/** The armour of a message (RFC 9580, 6.2): headers, an empty line, lines of base64, and perhaps a checksum. */
const armour = fc
  .record({
    headers: fc.array(fc.constantFrom('Version: GnuPG v2', 'Comment: https://gnupg.org', 'Charset: utf-8'), {
      maxLength: 3,
    }),
    lines: fc.array(base64(48), { minLength: 1, maxLength: 6 }),
    last: base64(7),
    checksum: fc.option(
      base64(3).map((sum) => `=${sum}`),
      { nil: undefined },
    ),
  })
  .map(({ headers, lines, last, checksum }) => {
    const inner = [...headers, '', ...lines, last, ...(checksum === undefined ? [] : [checksum])];
    return ['-----BEGIN PGP MESSAGE-----', ...inner, '-----END PGP MESSAGE-----'];
  });

const words = fc.array(
  fc.constantFrom('Hello,', 'see below.', '', 'Grüße', '> quoted', '-- ', '-----BEGIN of a list-----'),
  { maxLength: 4 },
);

/** Text and armours in turn. Text comes first and last. */
const texts = fc.record({ first: words, rest: fc.array(fc.tuple(armour, words), { maxLength: 4 }) });

it('of a text, each encrypted part is replaced, and every other line stays', () => {
  fc.assert(
    fc.property(texts, ({ first, rest }) => {
      const lines = [...first, ...rest.flatMap(([encrypted, after]) => [...encrypted, ...after])];
      const expected = [...first, ...rest.flatMap(([, after]) => [ENCRYPTED, ...after])].join('\n');
      const read = withoutCiphertext(lines.join('\n'));
      expect(read).toEqual({ text: expected, isEncrypted: rest.length > 0, isSigned: false });
      expect(withoutCiphertext(read.text).text).toBe(expected);
    }),
  );
});

it('an armour that is cut off, quoted or has a line of words in it stays as it is', () => {
  const broken = fc.oneof(
    armour.map((lines) => lines.slice(0, -1)),
    armour.map((lines) => lines.map((line) => `> ${line}`)),
    armour.map((lines) => [...lines.slice(0, -1), 'this is no base64', ...lines.slice(-1)]),
  );
  fc.assert(
    fc.property(words, broken, words, (before, lines, after) => {
      const text = [...before, ...lines, ...after].join('\n');
      expect(withoutCiphertext(text)).toEqual({ text, isEncrypted: false, isSigned: false });
    }),
  );
});

it('a message of parts (RFC 3156) says that it is encrypted, and shows nothing of it', async () => {
  const message = fc.record({ lines: armour, boundary: fc.stringMatching(/^[a-z]{4,12}$/) });
  await fc.assert(
    fc.asyncProperty(message, async ({ lines, boundary }) => {
      const raw = [
        `Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="=${boundary}"`,
        '',
        `--=${boundary}`,
        'Content-Type: application/pgp-encrypted',
        '',
        'Version: 1',
        `--=${boundary}`,
        'Content-Type: application/octet-stream; name=encrypted.asc',
        '',
        ...lines,
        `--=${boundary}--`,
        '',
      ].join('\r\n');
      const { text, protection } = await parseMessage(Buffer.from(raw));
      expect(protection).toEqual({ isEncrypted: true, isSigned: false });
      expect(text).toContain(ENCRYPTED);
      for (const line of lines.filter((one) => one.length > 20)) expect(text).not.toContain(line);
    }),
  );
});
