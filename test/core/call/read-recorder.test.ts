import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { readRecorder } from '../../../core/call/read-recorder.ts';
import { hashersOf, readRecord, type ShownPassage } from '../../../core/provenance/read-record.ts';
import type { NewRead } from '../../../core/provenance/read-state.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { hashedAtOnce } from '../provenance/hashed-at-once.ts';
import { shownPassage } from '../provenance/shown-passage.ts';

const keyring = createKeyring([randomBytes(32)], randomBytes);
const KEY = { ownerId: 'own_1', credentialId: 'key_1' };

const QUOTING =
  'I agree, see https://evil.example\n\nOn Monday, Bob <bob@bob.example> wrote:\n> Call desk@bob.example\n> soon.';

/** Without what was remembered, and without the sealed part, which is different each time. */
function recordOf(key: typeof KEY, shown: readonly ShownPassage[]) {
  const [hasher = () => 0] = hashersOf(keyring, key.ownerId);
  return withoutSealed(readRecord(keyring, key, hashedAtOnce(shown, hasher)));
}

function withoutSealed({ readId, hashes, phrases }: NewRead) {
  return { readId, hashes, phrases };
}

describe('the record of a read', () => {
  const recordRead = readRecorder(keyring, inlineReader());
  const long = 'some different words of a long message '.repeat(20);
  const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(' ');

  it.each<[string, typeof KEY, readonly ShownPassage[]]>([
    ['of a message', KEY, [shownPassage()]],
    [
      'of a message that quotes others',
      KEY,
      [shownPassage({ head: 'Eve <eve@evil.example>\nLunch', text: QUOTING })],
    ],
    ['of the same text without what it quotes apart', KEY, [shownPassage({ text: QUOTING })]],
    ['of the same text by a different author', KEY, [shownPassage({ author: 'bob@bob.example' })]],
    ['of the same text as a row of a list', KEY, [shownPassage({ isListed: true })]],
    ['of the same text for a different owner', { ...KEY, ownerId: 'own_2' }, [shownPassage()]],
    ['of the same text under a different title', KEY, [shownPassage({ title: 'Dinner' })]],
    [
      'of several, with room left for few words of the last',
      KEY,
      [1, 2, 3].map((n) => shownPassage({ text: `${n} ${words}` })),
    ],
    ['of these in a different order', KEY, [3, 2, 1].map((n) => shownPassage({ text: `${n} ${words}` }))],
    [
      'of a text beyond what is remembered',
      KEY,
      [shownPassage({ text: Array.from({ length: 900 }, (_, n) => `a${n}@b.example`).join(' ') + long })],
    ],
  ])('%s is the same when it is read again', async (_what, { ownerId, credentialId }, shown) => {
    const expected = recordOf({ ownerId, credentialId }, shown);
    const reading = { ownerId, signal: new AbortController().signal };
    expect(withoutSealed(await recordRead(credentialId, shown, reading))).toEqual(expected);
    expect(withoutSealed(await recordRead(credentialId, shown, reading))).toEqual(expected);
  });

  it('of a list is sealed once, for each key and for what it shows', async () => {
    const rows = [1, 2].map((n) => shownPassage({ isListed: true, id: `m1_${n}` }));
    const reading = { ownerId: 'own_1', signal: new AbortController().signal };
    const first = await recordRead('key_1', rows, reading);
    expect(await recordRead('key_1', structuredClone(rows), reading)).toEqual(first);
    const others = await Promise.all([
      recordRead('key_2', rows, reading),
      recordRead('key_1', rows, { ...reading, ownerId: 'own_2' }),
      recordRead('key_1', rows.toReversed(), reading),
      ...['id', 'title', 'author', 'text'].map((field) =>
        recordRead(
          'key_1',
          [...rows.slice(1), shownPassage({ isListed: true, [field]: 'another' })],
          reading,
        ),
      ),
    ]);
    expect(new Set([first, ...others].map(({ readId }) => readId)).size).toBe(8);
  });

  it('of a list that could not be read is made anew', async () => {
    const rows = [shownPassage({ isListed: true, text: 'Write to new@evil.example' })];
    const without = await recordRead('key_1', rows, { ownerId: 'own_1' });
    const reading = { ownerId: 'own_1', signal: new AbortController().signal };
    const record = withoutSealed(await recordRead('key_1', rows, reading));
    expect(record).toEqual(recordOf(KEY, rows));
    expect(record).not.toEqual(withoutSealed(without));
  });
});
