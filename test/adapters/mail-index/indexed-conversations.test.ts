import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type MailReader, mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MessagePlace } from '../../../core/mail/listed-message.ts';
import { MailError } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { until } from '../../until.ts';
import { newestOf, searchFor, started } from '../imap/mailbox-on.ts';
import { account, call, openIndexed, type Scene } from './indexed-scene.ts';

const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 12, minute));

/** Delivers answers to each other, one to three folders in turn. @returns the place of the newest */
async function converse({ sandbox }: Scene, length: number): Promise<MessagePlace> {
  for (let number = 0; number < length; number += 1) {
    const letter = [
      ...['From: bob@example.test', `Subject: letter ${number}`, `Message-ID: <${number}@example.test>`],
      ...(number === 0 ? [] : [`In-Reply-To: <${number - 1}@example.test>`]),
      ...['', 'Hello', ''],
    ];
    const path = ['INBOX', 'Sent', 'Archive'][number % 3] ?? 'INBOX';
    await sandbox.deliver(account, path, Buffer.from(letter.join('\r\n')), at(number));
  }
  const { place } = await newestOf(sandbox, call);
  return place;
}

const subjectsOf = async (mail: Mail, place: MessagePlace) => {
  const { rows, missing } = await thread(mail, place);
  return { subjects: rows.map(({ subject }) => subject), missing };
};

function thread(mail: Mail, place: MessagePlace): ReturnType<MailReader['thread']> {
  return mailReader(mail, systemClock).thread(call, place);
}

const letters = (length: number) => Array.from({ length }, (_, number) => `letter ${number}`);

describe('the index of an account whose owner wants none', () => {
  it('is erased when something is done with the account, and filled again when the owner wants it', async () => {
    const scene = await openIndexed();
    await converse(scene, 6);
    const index = scene.folder.open();
    const mail = scene.open(index);
    const messages = async () => (await index.size(account)).messages;
    const list = (isIndexed: boolean) => newestOf(mail, { ...call, account: { ...account, isIndexed } });
    await list(true);
    await until(async () => (await messages()) === 6);
    // As if another process had turned it off.
    await list(false);
    await until(async () => (await messages()) === 0);
    const unwanted = { ...call, account: { ...account, isIndexed: false } };
    expect((await mail.search(unwanted, searchFor('letter'))).by).toBeUndefined();
    expect(await messages()).toBe(0);
    await list(true);
    await until(async () => (await messages()) === 6);
  });
});

describe('a conversation beside an index', () => {
  it('is asked of the server while there is much to index, and of the index once that is done', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 50);
    const mail = scene.open();
    expect(await subjectsOf(mail, place)).toEqual({ subjects: letters(50), missing: [] });
    expect(scene.searches()).toBe(1);
    await until(async () => (await mail.search(call, searchFor('letter'))).by === 'index');
    const before = scene.searches();
    expect(await subjectsOf(mail, place)).toEqual({ subjects: letters(50), missing: [] });
    expect(scene.searches()).toBe(before);
  });

  it('has what came, moved and went a moment ago', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 6);
    const mail = scene.open();
    expect((await subjectsOf(mail, place)).subjects).toEqual(letters(6));
    await converse(scene, 7);
    const { rows } = await thread(mail, place);
    const moved = rows.find(({ subject }) => subject === 'letter 6');
    if (moved === undefined) throw new Error('The new letter is missing.');
    await scene.sandbox.move(call, moved.place, 'Trash', started);
    const after = (await thread(mail, place)).rows.find(({ subject }) => subject === 'letter 6');
    expect(after?.place.path).toBe('Trash');
    await expect(thread(mail, moved.place)).rejects.toMatchObject({ code: 'not_found' });
    expect(scene.searches()).toBe(1);
  });

  it('is asked of the server, and not followed, if that has conversations of its own', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 6);
    let followed = 0;
    const mail = scene.open(undefined, {
      async readTexts(...asked) {
        const texts = await scene.sandbox.readTexts(...asked);
        return texts.map((text) => text && { ...text, isThreaded: true });
      },
      states(...asked) {
        followed += 1;
        return scene.sandbox.states(...asked);
      },
    });
    expect((await mail.search(call, searchFor('letter'))).by).toBe('index');
    expect(followed).toBe(1);
    expect((await subjectsOf(mail, place)).subjects).toEqual(letters(6));
    expect(scene.searches()).toBe(1);
    expect(followed).toBe(1);
  });

  it('is asked of the server while a message has no header', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 6);
    const mail = scene.open(undefined, {
      async readTexts(...asked) {
        const texts = await scene.sandbox.readTexts(...asked);
        return texts.map((text, index) =>
          index > 0 ? text : text && { ...text, row: { ...text.row, undeliverable: true } },
        );
      },
    });
    expect((await subjectsOf(mail, place)).subjects).toEqual(letters(6));
    expect(scene.searches()).toBe(1);
  });

  it('is asked of the server if the index fails, which is said once', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 6);
    const index = scene.folder.open();
    const mail = scene.open({
      ...index,
      conversation: () => Promise.reject(new Error('The disk is full.')),
    });
    for (let tries = 0; tries < 2; tries += 1)
      expect((await subjectsOf(mail, place)).subjects).toEqual(letters(6));
    expect(scene.searches()).toBe(2);
    expect(scene.warnings).toHaveLength(1);
  });

  it('names the folders that the server refuses', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 6);
    const mail = scene.open(undefined, {
      async uids(asked, query) {
        if (query.path === 'Archive') throw new MailError('refused', 'Permission denied');
        return scene.sandbox.uids(asked, query);
      },
    });
    const inOthers = ['letter 3', 'letter 4'];
    const { place: last } = await newestOf(scene.sandbox, call);
    expect(last).toEqual(place);
    expect(await subjectsOf(mail, place)).toEqual({
      subjects: inOthers,
      missing: [{ path: 'Archive', reason: 'refused' }],
    });
  });

  it('does not take another message for one of it, after the folder was restored from a backup', async () => {
    const scene = await openIndexed();
    const place = await converse(scene, 6);
    const rows: Mail['rows'] = async (...asked) => {
      const found = await scene.sandbox.rows(...asked);
      return isRestored ? found.map((row) => row && { ...row, internalDate: at(59) }) : found;
    };
    let isRestored = false;
    const mail = scene.open(undefined, { rows });
    expect((await subjectsOf(mail, place)).subjects).toEqual(letters(6));
    expect(scene.searches()).toBe(0);
    isRestored = true;
    expect((await subjectsOf(mail, place)).subjects).toEqual(letters(6));
    expect(scene.searches()).toBe(1);
    isRestored = false;
    await until(async () => {
      const before = scene.searches();
      await subjectsOf(mail, place);
      return scene.searches() === before;
    });
  });
});
