import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../adapters/imap/mail.ts';
import { ownerNotices } from '../../adapters/notices/owner-notices.ts';
import { openTestService, type TestService } from '../open-service.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type NoticeReceiver, startNoticeReceiver } from '../servers/notice-receiver.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';

const NEW_PASSWORD = 'changed-at-the-provider';
const UNUSED_MS = 7 * 60 * 60_000;

describe.skipIf(missingServers().length > 0)(titled('an account that nobody uses'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let receiver: NoticeReceiver;
  let opened: TestService;
  let settingsWith: (pass: string) => unknown;
  beforeAll(async () => {
    dovecot = await startDovecot();
    postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
    const user = addressOf(dovecot.addUser());
    const tlsFingerprint = dovecot.certificate.fingerprint;
    settingsWith = (pass) => {
      const server = { host: '127.0.0.1', security: 'starttls', user, pass, tlsFingerprint };
      return { imap: { ...server, port: dovecot.port }, smtp: { ...server, port: postfix.port } };
    };
    receiver = await startNoticeReceiver();
    opened = await openTestService({
      mail: imapMail({ allowPrivateServers: true }),
      noticeSender: ownerNotices({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
      calendar: undefined,
      email: user,
      settings: settingsWith(PASSWORD),
    });
  });
  afterAll(async () => {
    await opened?.service.stop();
    receiver?.close();
    await postfix?.stop();
    await dovecot?.stop();
  });

  it('shows that its password has changed, tells its owner, and works once it is mended', async () => {
    const { service, ownerId, clock } = opened;
    const states = async () =>
      (await service.accounts.health(ownerId)).map(({ server, state }) => `${server} ${state}`).sort();
    await service.notices.add(ownerId, { kind: 'webhook', url: `${receiver.origin}/notice` });
    // Its first round plans the check.
    service.start();
    expect(await states()).toEqual(['reading working', 'sending working']);
    await dovecot.setPassword(NEW_PASSWORD);
    clock.shift(UNUSED_MS);
    const refused = ['reading password_refused', 'sending working'];
    await expect.poll(states, { interval: 200 }).toEqual(refused);
    // A notice comes if the owner has opened no page for five minutes.
    clock.shift(10 * 60_000);
    await expect.poll(() => receiver.requests.length, { interval: 200 }).toBe(1);
    expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
      type: 'accounts.to_mend',
      data: { accounts_to_mend: 1 },
    });
    await service.accounts.changeSettings({ ownerId, accountId: 1, settings: settingsWith(NEW_PASSWORD) });
    expect(await states()).toEqual(['reading working', 'sending working']);
  });
});
