import { expect, it } from 'vitest';
import { idsIn, letter, openScene, resultOf } from './scene.ts';

const ENCRYPTED = '-----BEGIN PGP MESSAGE-----\n\nhQEMA9vEQ=\n=AbCd\n-----END PGP MESSAGE-----\n';
const SIGNED = '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe text\n';

it.each([
  ['an encrypted one', ENCRYPTED, { encrypted: true }, 'Its text cannot be read here.'],
  ['a signed one', SIGNED, { signed: true }, 'The text'],
  ['an ordinary one', 'The text\n', {}, 'The text'],
])('a message says how it is protected: %s', async (_name, text, facts, shown) => {
  const scene = await openScene({ samples: () => [letter('one', { text })] });
  const key = await scene.addKey('full');
  const [id] = await idsIn(key);
  const { encrypted, signed, body } = resultOf(await key.call('get_email', { id }));
  expect({ encrypted, signed }).toEqual({ encrypted: undefined, signed: undefined, ...facts });
  expect(body).toContain(shown);
});
