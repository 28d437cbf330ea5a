import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { labelled } from '../../folder-roles.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Mutation, startMutatingProxy } from '../../servers/mutating-proxy.ts';
import type { Disguise } from '../../servers/proxy.ts';
import { callOn, newestOf, started } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';
import { writtenBy } from './written-message.ts';

const KEPT = 'IMAP4rev1 LITERAL+ NAMESPACE';

/** Answers OK to a command and does nothing. */
function doingNothing(command: RegExp): Disguise {
  return { refusal: (line) => (command.test(line) ? 'OK done' : undefined) };
}

/** Copies and moves without COPYUID. */
const SILENT: Disguise = { reply: (line) => line.replace(/\[COPYUID [^\]]*\] /, '') };

describe.skipIf(missingServers().length > 0).each([
  ['MOVE', `${KEPT} UIDPLUS MOVE`],
  ['UIDPLUS', `${KEPT} UIDPLUS`],
  ['neither', KEPT],
])(titled('a server with %s that says OK'), (name, capability) => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot({ capability });
  });
  beforeEach(async () => {
    user = dovecot.addUser();
    mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
    await dovecot.deliver(user, 'Message-ID: <a@x.example>\r\nSubject: one\r\n\r\nx\r\n');
  });
  afterEach(() => mail.close());
  afterAll(() => dovecot?.stop());

  async function move(disguise: Disguise, to = 'Archive'): Promise<string> {
    const call = await callThrough(dovecot, user, disguise);
    const { place } = await newestOf(mail, call);
    return mail.move(call, place, to, started).then(
      () => 'moved',
      ({ code }) => String(code),
    );
  }

  const count = async (path: string) => (await dovecot.messages(user, path)).length;

  it('and neither moves nor copies: the message stays, and the outcome is unknown', async () => {
    expect(await move(doingNothing(/ UID (?:COPY|MOVE) /))).toBe('outcome_unknown');
    expect([await count('INBOX'), await count('Archive')]).toEqual([1, 0]);
    expect(await dovecot.doveadm('search', user, ['mailbox', 'INBOX', 'deleted'])).toBe('');
  });

  it('and does nothing, where an equal message was there before: the message stays', async () => {
    await dovecot.deliver(user, 'Message-ID: <a@x.example>\r\nSubject: one\r\n\r\nx\r\n', {
      mailbox: 'Archive',
    });
    expect(await move(doingNothing(/ UID (?:COPY|MOVE) /))).toBe('outcome_unknown');
    expect([await count('INBOX'), await count('Archive')]).toEqual([1, 1]);
    expect(await dovecot.doveadm('search', user, ['mailbox', 'INBOX', 'deleted'])).toBe('');
  });

  it('without COPYUID: the copy is found, and the message has moved', async () => {
    await dovecot.deliver(user, 'Subject: before\r\n\r\nx\r\n', { mailbox: 'Archive' });
    expect(await move(SILENT)).toBe('moved');
    expect(await dovecot.messages(user, 'Archive')).toEqual([
      'Subject: before\n\nx\n',
      'Message-ID: <a@x.example>\nSubject: one\n\nx\n',
    ]);
    const left = await dovecot.doveadm('search', user, ['mailbox', 'INBOX', 'undeleted']);
    expect(left).toBe('');
  });

  it('and does not remove the original: the outcome is unknown', async () => {
    if (name === 'MOVE') return;
    expect(await move(doingNothing(/ UID STORE /))).toBe('outcome_unknown');
    expect([await count('INBOX'), await count('Archive')]).toEqual([1, 1]);
  });

  it('and does not copy for a label: the outcome is unknown', async () => {
    const call = await callThrough(dovecot, user, doingNothing(/ UID COPY /));
    const { place } = await newestOf(mail, call);
    await expect(mail.label(call, place, labelled('two words'), started)).rejects.toMatchObject({
      code: 'outcome_unknown',
    });
    expect([await count('INBOX'), await count('two words')]).toEqual([1, 0]);
  });

  it('and copies for a label without COPYUID: the copy is found', async () => {
    const call = await callThrough(dovecot, user, SILENT);
    const { place } = await newestOf(mail, call);
    expect(await mail.label(call, place, labelled('two words'), started)).toBe('copy');
    expect([await count('INBOX'), await count('two words')]).toEqual([1, 1]);
  });

  async function saveThrough(mutation: Omit<Mutation, 'command'>): Promise<string> {
    const proxy = await startMutatingProxy('imap', dovecot.port);
    onTestFinished(() => proxy.stop());
    proxy.mutate({ command: 'APPEND', ...mutation });
    const message = writtenBy(user);
    const save = () =>
      mail.saveSent(callOn(proxy.port, user), 'Sent', message).then(
        () => 'saved',
        ({ code }) => String(code),
      );
    const outcome = await save();
    proxy.mutate(undefined);
    expect(await save()).toBe('saved');
    return outcome;
  }

  it('and does not save a sent message: that is noticed', async () => {
    const outcome = await saveThrough({ instead: ({ tag }) => [`${tag} OK done\r\n`] });
    expect(outcome).toBe('refused');
    expect(await count('Sent')).toBe(1);
  });

  it('and saves a sent message without APPENDUID: it is there once', async () => {
    const withoutId = (response: string) => response.replace(/\[APPENDUID [^\]]*\] /, '');
    expect(await saveThrough({ answer: (responses) => responses.map(withoutId) })).toBe('saved');
    expect(await count('Sent')).toBe(1);
  });
});
