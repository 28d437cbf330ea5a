import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../adapters/imap/mail.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { workAtOnce } from '../at-once.ts';
import { casesOf } from '../only-long.ts';
import { callWith } from '../open-service.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { type Fault, startProxy } from '../servers/proxy.ts';
import { connected, realMailbox } from './real-mailbox.ts';
import { LEASE_MS, sceneService } from './scene.ts';

const AT_ONCE = 4;
const CUTS = ['cut before', 'cut unanswered', 'cut answered'] as const;

/** The result of one approved reply with one cut. */
interface Played {
  readonly state: string;
  readonly delivered: number;
  readonly inSent: number;
  readonly commands: readonly string[];
}

describe.skipIf(missingServers().length > 0)(
  titled('an approved reply, the connection cut at every command'),
  () => {
    let dovecot: Dovecot;
    let postfix: Postfix;
    beforeAll(async () => {
      dovecot = await startDovecot({ tls: false });
      postfix = await startPostfix(dovecot, { tls: false });
    });
    afterAll(async () => {
      await postfix?.stop();
      await dovecot?.stop();
    });

    /** Files a reply and approves it with a fault in one protocol. Then recovers until nothing is open. */
    async function play(protocol: 'imap' | 'smtp', fault: Fault | undefined): Promise<Played> {
      const folder = mkdtempSync(join(tmpdir(), 'cs-cut-'));
      const imap = await startProxy('imap', dovecot.port);
      const smtp = await startProxy('smtp', postfix.port);
      const proxy = protocol === 'imap' ? imap : smtp;
      const service = sceneService({
        storage: sqliteStorage({ file: join(folder, 'cut.db') }),
        mail: imapMail({ allowPrivateServers: true }),
      });
      try {
        const box = await realMailbox(dovecot, postfix, { imap: imap.port, smtp: smtp.port });
        const { ownerId, apiKey, args } = await connected(service, box, false);
        const filed = await callWith(service, apiKey, 'send_reply', args);
        if (filed.status !== 'pending_approval') throw new Error('the request is not pending');
        const shown = await service.approvals.show(ownerId, filed.approval.id);
        void proxy.script(fault);
        await service.approvals.approve(ownerId, filed.approval.id, shown?.approval.digest ?? '');
        let state = '';
        for (;;) {
          const now = await service.approvals.show(ownerId, filed.approval.id);
          state = now?.approval.state ?? '';
          if (state !== 'approved' && (state !== 'executed' || (await box.look()).inSent > 0)) break;
          await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 10));
          await service.recover();
        }
        const { transmitted, inSent } = await box.look();
        return { state, delivered: transmitted, inSent, commands: [...proxy.commands] };
      } finally {
        await service.stop();
        await imap.stop();
        await smtp.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    }

    function judge({ state, delivered, inSent }: Played, where: string): void {
      expect(delivered, where).toBeLessThanOrEqual(1);
      expect(['executed', 'failed', 'outcome_unknown'], where).toContain(state);
      if (state === 'executed') expect([delivered, inSent], where).toEqual([1, 1]);
      if (state === 'failed') expect([delivered, inSent], where).toEqual([0, 0]);
    }

    it.each(['smtp', 'imap'] as const)(
      '%s: the stored state agrees with what was delivered',
      async (protocol) => {
        const whole = await play(protocol, undefined);
        judge(whole, 'no cut');
        expect(whole.state).toBe('executed');
        expect(whole.commands.length).toBeGreaterThan(3);
        const all = whole.commands.flatMap((name, index) =>
          CUTS.map((does) => ({ does, at: index + 1, where: `${does} ${name} (${index + 1})` })),
        );
        // The server has acted on a command whose answer is lost: that is the cut that matters most.
        const faults = casesOf(
          'cut: commands',
          all,
          ({ does, at }) => does === 'cut unanswered' || at % 4 === 0,
        );
        const states = new Set<string>();
        await workAtOnce(AT_ONCE, faults, async ({ does, at, where }) => {
          const played = await play(protocol, { does, at });
          judge(played, where);
          states.add(played.state);
        });
        // A cut in the middle of an IMAP conversation loses nothing. After a cut that follows the final dot,
        // the outcome is unknown.
        expect([...states].sort()).toEqual(
          protocol === 'smtp' ? ['executed', 'outcome_unknown'] : ['executed'],
        );
      },
    );
  },
);
