import { describe, expect, it } from 'vitest';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import {
  approvalOf,
  approve,
  FRIEND,
  idsIn,
  letter,
  OWN,
  openScene,
  resultOf,
  STRANGER,
  sendTo,
  wordOf,
} from './scene.ts';

async function open(...samples: SampleMessage[]) {
  const scene = await openScene({ samples: () => samples });
  const modes = { 'mail:send': 'direct', 'mail:reply': 'direct', 'mail:manage': 'direct' } as const;
  const key = await scene.addKey('full', modes);
  /** Carries out a request, whether or not it waits. @returns whether it ran at once, or the code of an error */
  async function done(tool: string, args: object): Promise<string> {
    const answer = await key.call(tool, args);
    if (answer.status === 'pending_approval') await approve(scene, approvalOf(answer).id);
    return wordOf(answer);
  }
  /** Replies to the newest message of a folder. @returns to whom it went */
  async function reply(folder: string): Promise<readonly string[] | undefined> {
    const [id = ''] = await idsIn(key, folder);
    await done('send_reply', { id, body: 'One more thing.' });
    return scene.mail.transmitted().at(-1)?.to;
  }
  return { key, done, reply };
}

describe('a reply to a message from the owner', () => {
  it('goes to the people it went to, if it lies in Sent, and waits for nobody', async () => {
    const { key, done, reply } = await open();
    expect(await done('send_email', sendTo(FRIEND))).toBe('ok');
    const [id = ''] = await idsIn(key, 'Sent');
    expect(await done('send_reply', { id, body: 'One thing.' })).toBe('ok');
    expect(await reply('Sent')).toEqual([FRIEND]);
  });

  it('goes to them, not to those of a copy elsewhere with the same Message-ID', async () => {
    const sent = letter('same', { folder: 'Sent', from: OWN, to: FRIEND, minutesAgo: 30 });
    const { reply } = await open(sent, { ...sent, folder: 'INBOX', to: STRANGER });
    expect(await reply('inbox')).toEqual([FRIEND]);
  });

  it('goes to its Reply-To or From as before, if only the From says that it is the owner’s', async () => {
    const forged = letter('forged', { from: OWN, to: STRANGER });
    expect(await (await open(forged)).reply('inbox')).toEqual([OWN]);
    expect(await (await open({ ...forged, replyTo: FRIEND })).reply('inbox')).toEqual([FRIEND]);
  });

  it('goes to its From as before, if a request moved it into Sent', async () => {
    const { key, done, reply } = await open(letter('forged', { from: OWN, to: STRANGER, minutesAgo: 10 }));
    const [id = ''] = await idsIn(key, 'inbox');
    await done('move_email', { id, target_folder: 'Sent' });
    expect(await reply('Sent')).toEqual([OWN]);
  });
});

describe('a message to oneself', () => {
  it('keeps its id when it is archived, although its copy in Sent is identical', async () => {
    const { key, done } = await open();
    await done('send_email', sendTo(OWN));
    const [id = ''] = await idsIn(key, 'inbox');
    const [copy = ''] = await idsIn(key, 'Sent');
    await done('archive_email', { id });
    expect(resultOf(await key.call('get_email', { id }))).toMatchObject({ folder: 'Archive' });
    expect(resultOf(await key.call('get_email', { id: copy }))).toMatchObject({ folder: 'Sent' });
  });
});
