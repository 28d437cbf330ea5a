import { chmodSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import type { Disguise } from '../../servers/proxy.ts';
import { callOn, newestOf, searchFor } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';

const KINDS = [
  { name: 'beside the inbox', options: {}, shared: 'Shared' },
  // imapflow alone takes each refusal for a folder that is not there.
  { name: 'below the inbox', options: { prefix: 'INBOX.' }, shared: 'INBOX.Shared' },
] as const;

for (const { name, options, shared: SHARED } of KINDS) {
  const REFUSED = [{ path: SHARED, reason: 'refused' }];
  const delimiter = SHARED.startsWith('INBOX.') ? '.' : '/';
  const sibling = (name: string) => SHARED.replace('Shared', name);

  describe.skipIf(missingServers().length > 0)(
    titled(`a folder ${name} that is listed and may not be read`),
    () => {
      let dovecot: Dovecot;
      let mail: Mail;
      let user: string;

      beforeAll(async () => {
        dovecot = await startDovecot({ ...options, acl: true });
      });
      beforeEach(async () => {
        // One connection, so that a disguise knows which folder is selected.
        mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
        user = dovecot.addUser();
        await dovecot.doveadm('mailbox create', user, [SHARED]);
        await dovecot.deliver(user, 'Message-ID: <kept@x.example>\r\nSubject: kept\r\n\r\nneedle\r\n');
        await dovecot.deliver(user, 'In-Reply-To: <kept@x.example>\r\nSubject: answer\r\n\r\nneedle\r\n', {
          mailbox: sibling('Archive'),
        });
      });
      afterEach(async () => {
        await mail.close();
      });
      afterAll(() => dovecot?.stop());

      /** The owner of the mailbox may see that the folder is there, and nothing else. */
      function refuse(folder: string = SHARED): void {
        const at = folder === 'INBOX' ? '' : `.${folder.replace(/^INBOX\./, '')}/`;
        const file = `${dovecot.folder}/mail/${user}/Maildir/${at}dovecot-acl`;
        writeFileSync(file, 'owner l\n');
        chmodSync(file, 0o644);
      }

      const callBy = (disguise: Disguise) => callThrough(dovecot, user, disguise);

      /** Refuses what a command does with the folder. */
      const answering = (answer: string, ...commands: string[]): Disguise => ({
        refusal: (line) =>
          new RegExp(`^\\w+ (${commands.join('|')}) "?${SHARED}`).test(line) ? answer : undefined,
      });

      const reader = () => mailReader(mail, systemClock);
      const subjectsOf = (rows: readonly { subject: string }[]) => rows.map(({ subject }) => subject).sort();

      it('is named beside what a search finds in the others', async () => {
        refuse();
        const page = await reader().search(callOn(dovecot.port, user), searchFor('needle'));
        expect(subjectsOf(page.rows)).toEqual(['answer', 'kept']);
        expect(page).toMatchObject({ total: 2, more: false, missing: REFUSED });
      });

      it.each([
        ['that its server reports the numbers of', {}],
        [
          'that is searched for',
          { reply: (line: string) => line.replace(/ UIDNEXT \d+(?=[ )])/, '') } satisfies Disguise,
        ],
      ])('is named beside a conversation %s', async (_name, disguise) => {
        refuse();
        const call = await callBy(disguise);
        const { place } = await newestOf(mail, call);
        for (const _time of ['first', 'second']) {
          const { rows, missing } = await reader().thread(call, place);
          expect(subjectsOf(rows)).toEqual(['answer', 'kept']);
          expect(missing).toEqual(REFUSED);
        }
      });

      it('is marked among the counts of the others', async () => {
        refuse();
        const counts = await mail.counts(callOn(dovecot.port, user));
        expect(counts).toContainEqual({ path: SHARED, delimiter, specialUse: null, refused: true });
        expect(counts).toContainEqual({ path: 'INBOX', delimiter, specialUse: null, total: 1, unread: 1 });
        expect(counts).toHaveLength(7);
      });

      it('is counted if only its STATUS is refused', async () => {
        await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n', { mailbox: SHARED });
        const call = await callBy({
          reply: (line) => (line.startsWith(`* STATUS ${SHARED} `) ? '* NO not this one\r\n' : line),
        });
        expect(await mail.counts(call)).toContainEqual({
          path: SHARED,
          delimiter,
          specialUse: null,
          total: 1,
          unread: 1,
        });
        const { place } = await newestOf(mail, call);
        expect(await mail.thread(call, place)).toHaveLength(2);
      });

      it('is named if only its SEARCH is refused', async () => {
        const call = await callBy({ refusal: refusalIn(SHARED, / SEARCH /, 'NO not here') });
        await dovecot.deliver(user, 'Subject: hidden\r\n\r\nneedle\r\n', { mailbox: SHARED });
        const page = await reader().search(call, searchFor('needle'));
        expect(subjectsOf(page.rows)).toEqual(['answer', 'kept']);
        expect(page.missing).toEqual(REFUSED);
      });

      it('is looked past for a message that is elsewhere, and is an error for one that may be in it', async () => {
        const call = callOn(dovecot.port, user);
        const { stableId, internalDate, sizeBytes } = await newestOf(mail, call);
        refuse();
        const known = { stableId, internalDate, sizeBytes };
        expect(await mail.find(call, known)).toHaveLength(1);
        await expect(mail.find(call, { ...known, sizeBytes: sizeBytes + 1 })).rejects.toMatchObject({
          code: 'refused',
        });
      });

      it('is an error if a call names it', async () => {
        refuse();
        const call = callOn(dovecot.port, user);
        const refused = { code: 'refused' };
        await expect(reader().search(call, { ...searchFor('x'), path: SHARED })).rejects.toMatchObject(
          refused,
        );
        await expect(newestOf(mail, call, SHARED)).rejects.toMatchObject(refused);
      });

      it('is an error if the server refuses every folder', async () => {
        for (const folder of [
          SHARED,
          'INBOX',
          ...['Sent', 'Drafts', 'Trash', 'Junk', 'Archive'].map(sibling),
        ]) {
          if (folder !== 'INBOX') await dovecot.messages(user, folder);
          refuse(folder);
        }
        const call = callOn(dovecot.port, user);
        await expect(reader().search(call, searchFor('x'))).rejects.toMatchObject({ code: 'refused' });
        await expect(mail.counts(call)).rejects.toMatchObject({ code: 'refused' });
      });

      describe.each(['UNAVAILABLE', 'INUSE', 'SERVERBUG', 'LIMIT'])('for now only: [%s]', (code) => {
        const later = { code: 'unavailable' };

        it('fails a search, a conversation and the counts', async () => {
          await dovecot.deliver(user, 'Subject: hidden\r\n\r\nneedle\r\n', { mailbox: SHARED });
          const call = await callBy({
            ...answering(`NO [${code}] later`, 'SELECT', 'STATUS'),
            reply: (line) => (line.startsWith(`* STATUS ${SHARED} `) ? `* NO [${code}] later\r\n` : line),
          });
          const { place } = await newestOf(mail, call);
          await expect(mail.search(call, searchFor('needle'))).rejects.toMatchObject(later);
          await expect(mail.thread(call, place)).rejects.toMatchObject(later);
          await expect(mail.counts(call)).rejects.toMatchObject(later);
        });

        it.each([/ SEARCH /, / FETCH /])('fails a search if the answer to %s says so', async (command) => {
          await dovecot.deliver(user, 'Subject: hidden\r\n\r\nneedle\r\n', { mailbox: SHARED });
          const call = await callBy({ refusal: refusalIn(SHARED, command, `NO [${code}] later`) });
          await expect(mail.search(call, searchFor('needle'))).rejects.toMatchObject(later);
        });
      });
    },
  );
}

/** Refuses a command while the folder is selected. */
function refusalIn(folder: string, command: RegExp, answer: string): (line: string) => string | undefined {
  let isSelected = false;
  return (line) => {
    const selects = / SELECT "?([^" \r]+)/.exec(line);
    if (selects !== null) isSelected = selects[1] === folder;
    return isSelected && command.test(line) ? answer : undefined;
  };
}
