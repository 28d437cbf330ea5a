import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Finding, imapReport } from '../../../adapters/imap/report.ts';
import type { MailServer } from '../../../adapters/imap/settings.ts';
import { COURIER_PROGRAMS, startCourier } from '../../servers/courier.ts';
import { type Dovecot, type DovecotVariant, startDovecot } from '../../servers/dovecot.ts';
import { imapMailbox } from '../../servers/imap-mailbox.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingPrograms, missingServers, titled } from '../../servers/missing-servers.ts';
import { freePorts } from '../../servers/ports.ts';
import { type Postfix, type PostfixVariant, startPostfix } from '../../servers/postfix.ts';
import type { Disguise } from '../../servers/proxy.ts';
import { ALL_MAIL, startScriptedGmail } from '../../servers/scripted-gmail.ts';
import { proxyBefore } from './through-proxy.ts';

interface Setup {
  readonly dovecot: Dovecot;
  readonly postfix: Postfix;
}

describe.skipIf(missingServers().length > 0)(titled('a report on the servers of an account'), () => {
  const started: Setup[] = [];
  const start = async (imap: DovecotVariant, smtp: PostfixVariant = {}): Promise<Setup> => {
    const dovecot = await startDovecot(imap);
    const setup = { dovecot, postfix: await startPostfix(dovecot, smtp) };
    started.push(setup);
    return setup;
  };
  let rich: Setup;
  let poor: Setup;
  /** As able as the rich one, and without TLS, so that a proxy sees what is said. */
  let plain: Setup;
  beforeAll(async () => {
    rich = await start({});
    poor = await start(
      { tls: false, specialUse: false, folders: ['Papierkorb', 'Notes'], capability: 'IMAP4rev1 LITERAL+' },
      { tls: false, auth: false },
    );
    plain = await start({ tls: false }, { tls: false });
    for (const { dovecot } of started) await dovecot.deliver('alice', 'Subject: one\r\n\r\nhello\r\n');
  });
  afterAll(async () => {
    for (const { dovecot, postfix } of started) {
      await postfix.stop();
      await dovecot.stop();
    }
  });

  const { signal } = new AbortController();
  const server = (port: number, changes: Partial<MailServer>): MailServer => ({
    host: '127.0.0.1',
    port,
    security: 'starttls',
    user: addressOf('alice'),
    pass: PASSWORD,
    ...changes,
  });
  const reportOn = (
    { dovecot, postfix }: Setup,
    changes: Partial<MailServer> = {},
    ports: { imap: number; smtp: number } = { imap: dovecot.port, smtp: postfix.port },
  ) =>
    imapReport(
      { imap: server(ports.imap, changes), smtp: server(ports.smtp, changes) },
      { allowPrivateServers: true },
      signal,
    );
  const told = (findings: readonly Finding[]) =>
    Object.fromEntries(findings.map(({ check, state, text }) => [check, `${state}: ${text}`]));

  it('lists what good servers can do, over STARTTLS with a pinned certificate', async () => {
    const { dovecot, postfix } = rich;
    // Two servers, two certificates: each is checked against its own.
    const byImap = await reportOn(rich, { tlsFingerprint: dovecot.certificate.fingerprint });
    const bySmtp = await reportOn(rich, { tlsFingerprint: postfix.certificate.fingerprint });
    const imap = told(byImap.imap);
    expect(imap).toMatchObject({
      tls: 'good: Encrypted with TLSv1.3, after STARTTLS.',
      certificate: expect.stringMatching(
        /^good: The certificate is the pinned one, valid until 20/,
      ) as unknown,
      sign_in: 'good: Signed in.',
      move: 'good: It moves messages (MOVE).',
      uidplus: expect.stringMatching(/^good/) as unknown,
      special_use: expect.stringMatching(/^good/) as unknown,
      stable_ids: expect.stringMatching(/^lacking: .*no OBJECTID/) as unknown,
      idle: 'good: It reports new mail at once (IDLE).',
      keywords: 'good: It stores keywords, which serve as labels.',
      folders: 'good: It opens every folder that it lists.',
      search: 'good: It searches messages for words.',
      parts: 'good: It delivers parts of messages.',
    });
    for (const check of ['esearch', 'inbox', 'list_status', 'views']) expect(imap).not.toHaveProperty(check);
    expect(byImap.folders).toContainEqual({ path: 'Sent', delimiter: '/', specialUse: 'sent' });
    expect(bySmtp.folders).toBeUndefined();
    expect(told(bySmtp.smtp)).toEqual({
      tls: 'good: Encrypted with TLSv1.3, after STARTTLS.',
      certificate: expect.stringMatching(/^good: The certificate is the pinned one/) as unknown,
      auth: 'good: It offers these sign-in methods: PLAIN LOGIN.',
      size: 'good: It accepts messages up to 10.2 MB.',
      sign_in: 'good: Signed in.',
    });
  });

  it('lists the same over TLS from the first byte', async () => {
    const { dovecot, postfix } = rich;
    const ports = { imap: dovecot.tlsPort, smtp: postfix.tlsPort };
    const tls = { security: 'tls', tlsFingerprint: dovecot.certificate.fingerprint } as const;
    expect(told((await reportOn(rich, tls, ports)).imap)).toMatchObject({
      tls: 'good: Encrypted with TLSv1.3.',
      sign_in: 'good: Signed in.',
    });
    const smtpTls = { ...tls, tlsFingerprint: postfix.certificate.fingerprint };
    expect(told((await reportOn(rich, smtpTls, ports)).smtp)).toMatchObject({
      tls: 'good: Encrypted with TLSv1.3.',
      auth: 'good: It offers these sign-in methods: PLAIN LOGIN.',
      sign_in: 'good: Signed in.',
    });
  });

  it('lists what limited servers lack, and what is done instead', async () => {
    const { imap, smtp, folders } = await reportOn(poor);
    expect(told(imap)).toMatchObject({
      tls: 'good: Not encrypted: the connection does not leave this machine.',
      sign_in: 'good: Signed in.',
      move: expect.stringMatching(
        /^lacking: .*no MOVE, no UIDPLUS.*marked as deleted, and is not shown\.$/,
      ) as unknown,
      uidplus: expect.stringMatching(/^lacking/) as unknown,
      special_use: expect.stringMatching(/^lacking: .*recognises them by name\.$/) as unknown,
      idle: expect.stringMatching(/^lacking/) as unknown,
    });
    expect(folders).toContainEqual({ path: 'Papierkorb', delimiter: '/', specialUse: null });
    expect(told(smtp)).toEqual({
      tls: 'good: Not encrypted: the connection does not leave this machine.',
      size: expect.stringMatching(/^good/) as unknown,
      sign_in: 'broken: The SMTP server does not offer a way to sign in.',
    });
  });

  const refusing = (command: RegExp, answer: string): Disguise => ({
    refusal: (line) => (command.test(line) ? answer : undefined),
  });
  const refusedEsearch = 'lacking: It offers ESEARCH and refuses it: Countersign counts what a search finds.';
  const refusedListStatus =
    'lacking: It offers LIST-STATUS and refuses it: Countersign asks for each folder by itself.';

  it.each<[string, string, Disguise, string]>([
    [
      'a search of bodies',
      'search',
      refusing(/ SEARCH .*BODY /, 'NO not supported'),
      'lacking: It does not search messages for words: Countersign reads the messages instead, which takes longer.',
    ],
    [
      'a search beyond ASCII',
      'search',
      refusing(/ SEARCH .*CHARSET/, 'NO [BADCHARSET (US-ASCII)] no'),
      'lacking: It searches messages for words in ASCII only: for others, Countersign reads the messages instead, which takes longer.',
    ],
    ['ESEARCH', 'esearch', refusing(/ SEARCH RETURN /, 'BAD what is RETURN'), refusedEsearch],
    [
      'ESEARCH, by ignoring it',
      'esearch',
      { reply: (line) => line.replace(/^\* ESEARCH .*\r/, '* SEARCH 1\r') },
      refusedEsearch,
    ],
    [
      'a part of a message',
      'parts',
      refusing(/ FETCH .*\[\]<\d+/, 'NO whole messages only'),
      'lacking: It delivers messages only as a whole: one over 26.2 MB cannot be read.',
    ],
    ['LIST-STATUS, by NO', 'list_status', refusing(/ LIST .*STATUS/, 'NO not today'), refusedListStatus],
    ['LIST-STATUS, by BAD', 'list_status', refusing(/ LIST .*STATUS/, 'BAD what'), refusedListStatus],
    [
      'INBOX among its folders',
      'inbox',
      { reply: (line) => (/^\* (LIST|STATUS) .*INBOX\b/.test(line) ? '' : line) },
      'lacking: It leaves INBOX out of its list: Countersign adds it.',
    ],
  ])('says what is done instead if a server refuses %s', async (_name, check, disguise, text) => {
    const able = told((await reportOn(plain)).imap);
    const { port } = await proxyBefore(plain.dovecot, disguise);
    const { imap, folders } = await reportOn(plain, {}, { imap: port, smtp: plain.postfix.port });
    expect(told(imap)).toEqual({ ...able, [check]: text });
    expect(folders?.map(({ path }) => path).sort()).toEqual(
      ['INBOX', 'Sent', 'Drafts', 'Trash', 'Junk', 'Archive'].sort(),
    );
  });

  it('names the folders that show the others once more', async () => {
    const { imap } = await reportOn(await start({ tls: false, views: true }, { tls: false }));
    expect(told(imap).views).toBe(
      'lacking: It has folders that show messages of others once more: “Views/Flagged”, “Views/All”, “Views/Important”. ' +
        'A search over all folders leaves them out: a message that lies only there is found by naming the folder.',
    );
  });

  it.each([
    [[ALL_MAIL], 'lacking: It does not show All Mail: an archived message without a label is not found.'],
    [[], undefined],
  ])('says of Gmail whether it shows All Mail: without %j', async (hidden, text) => {
    const gmail = await startScriptedGmail([], hidden);
    onTestFinished(() => gmail.stop());
    const { imap } = await reportOn(
      plain,
      { security: 'none' },
      { imap: gmail.port, smtp: plain.postfix.port },
    );
    expect(told(imap).all_mail).toEqual(text && (expect.stringContaining(text) as unknown));
    expect(told(imap).views).toBeUndefined();
  });

  it.skipIf(missingPrograms(COURIER_PROGRAMS).length > 0)(
    'tries the same on Courier, whose search knows no * for the last message',
    async () => {
      const courier = await startCourier();
      onTestFinished(() => courier.stop());
      const user = courier.addUser();
      await imapMailbox(courier.port, user).deliver('INBOX', 'Subject: one\r\n\r\nhello\r\n');
      const ports = { imap: courier.port, smtp: plain.postfix.port };
      expect(told((await reportOn(plain, { user: addressOf(user) }, ports)).imap)).toMatchObject({
        search: 'good: It searches messages for words.',
        parts: 'good: It delivers parts of messages.',
      });
    },
  );

  it('says nothing of what it cannot try in an empty inbox', async () => {
    const findings = told((await reportOn(plain, { user: addressOf(plain.dovecot.addUser()) })).imap);
    expect(findings.sign_in).toBe('good: Signed in.');
    for (const check of ['search', 'parts']) expect(findings).not.toHaveProperty(check);
  });

  it('keeps what it has found if the server then fails', async () => {
    const failing = refusing(/ SEARCH /, 'NO [INUSE] later');
    const { port } = await proxyBefore(plain.dovecot, failing);
    const { imap } = await reportOn(plain, {}, { imap: port, smtp: plain.postfix.port });
    expect(told(imap)).toMatchObject({
      folders: expect.stringMatching(/^good/) as unknown,
      connection: 'broken: The IMAP server asks to try again later.',
    });
  });

  it('names the folders that a server lists and does not open', async () => {
    const setup = await start({ acl: true });
    const { dovecot } = setup;
    const folders = ['Shared', 'Board', ...Array.from({ length: 5 }, (_, at) => `Closed ${at}`)];
    for (const folder of folders) {
      await dovecot.doveadm('mailbox create', 'alice', [folder]);
      const file = `${dovecot.folder}/mail/alice/Maildir/.${folder}/dovecot-acl`;
      if (folder !== 'Board') writeFileSync(file, 'owner l\n', { mode: 0o644 });
    }
    const { imap, folders: listed } = await reportOn(setup, {
      tlsFingerprint: dovecot.certificate.fingerprint,
    });
    expect(told(imap).folders).toBe(
      'lacking: It lists folders that it does not open: “Closed 0”, “Closed 1”, “Closed 2”, “Closed 3”, “Closed 4” and 1 more. ' +
        'Searches and conversations lack what is in them, and say so.',
    );
    expect(listed).toContainEqual({ path: 'Shared', delimiter: '/', specialUse: null });
  });

  it('loses nothing else to a folder that cannot be opened for now', async () => {
    const { port } = await proxyBefore(poor.dovecot, {
      refusal: (line) =>
        /^\S+ (?:STATUS|EXAMINE|SELECT) "?Notes/.test(line) ? 'NO [INUSE] later' : undefined,
    });
    const { imap } = await reportOn(poor, {}, { imap: port, smtp: poor.postfix.port });
    expect(told(imap)).toMatchObject({
      sign_in: 'good: Signed in.',
      keywords: expect.any(String) as unknown,
      folders: expect.stringContaining('does not open: “Notes”.') as unknown,
    });
  });

  it.each([
    [
      'a certificate without a trusted issuer',
      {},
      /^broken: The (IMAP|SMTP) .*because it is self-signed/,
      'connection',
    ],
    [
      'a certificate that is not the pinned one',
      { tlsFingerprint: 'ab'.repeat(32) },
      /not the pinned one/,
      'connection',
    ],
  ])('reports %s', async (_name, changes, words, check) => {
    const { imap, smtp } = await reportOn(rich, changes);
    for (const findings of [imap, smtp])
      expect(told(findings)).toEqual({ [check]: expect.stringMatching(words) as unknown });
  });

  it('reports a wrong password', async () => {
    const tlsFingerprint = rich.dovecot.certificate.fingerprint;
    const { imap } = await reportOn(rich, { pass: 'wrong', tlsFingerprint });
    expect(told(imap)).toEqual({
      sign_in:
        'broken: The IMAP server does not accept the user name and password. Its own words: “[AUTHENTICATIONFAILED] Authentication failed.”',
    });
    const smtp = { pass: 'wrong', tlsFingerprint: rich.postfix.certificate.fingerprint };
    expect(told((await reportOn(rich, smtp)).smtp)).toMatchObject({
      tls: expect.stringMatching(/^good/) as unknown,
      sign_in: expect.stringMatching(
        /^broken: The SMTP server does not accept the user name and password\. Its own words: “535 5\.7\.8 /,
      ) as unknown,
    });
  });

  it('reports unreachable servers', async () => {
    const [imap = 0, smtp = 0] = await freePorts(2);
    const report = await reportOn(rich, {}, { imap, smtp });
    expect(told(report.imap)).toEqual({
      connection: 'broken: Nothing listens on the port of the IMAP server.',
    });
    expect(told(report.smtp)).toEqual({
      connection: 'broken: Nothing listens on the port of the SMTP server.',
    });
  });

  it('ends at its limit', async () => {
    const limit = AbortSignal.abort();
    const settings = { imap: server(rich.dovecot.port, {}), smtp: server(rich.postfix.port, {}) };
    const report = await imapReport(settings, { allowPrivateServers: true }, limit);
    for (const findings of [report.imap, report.smtp]) {
      expect(told(findings)).toEqual({ connection: 'broken: The call ran out of time.' });
    }
  });

  it('changes nothing in the mailbox except \\Recent', async () => {
    const user = rich.dovecot.addUser();
    const folders = async () => (await rich.dovecot.doveadm('mailbox list', user)).split('\n').sort();
    await rich.dovecot.deliver(user, 'Subject: unread\r\n\r\nhello\r\n');
    const flags = async () =>
      (await rich.dovecot.doveadm('fetch flags', user, ['all'])).replace('\\Recent', '');
    const before = [await folders(), await flags()];
    const changes = { user: addressOf(user), tlsFingerprint: rich.dovecot.certificate.fingerprint };
    expect(told((await reportOn(rich, changes)).imap).parts).toMatch(/^good/);
    expect([await folders(), await flags()]).toEqual(before);
  });
});
