import * as z from 'zod';
import type { Action } from './action.ts';
import { frozenMessage, isInSent, messageFacts, saveCopy, transmit } from './frozen-message.ts';
import { actingAccount, messageTarget, placeOf } from './message-target.ts';
import { type NotSent, notSentText, storedNotSent } from './not-sent.ts';

/** Sends one message. */

export const storedSend = z.strictObject({
  kind: z.literal('send'),
  account: actingAccount,
  message: frozenMessage,
  /** The message that it answers or forwards, and the flag that this one receives afterwards. */
  about: z.strictObject({ target: messageTarget, flag: z.enum(['answered', 'forwarded']) }).nullable(),
  /** How much of the text the agent wrote, from its start, in UTF-16 units; the rest is quote and signature. Missing in old plans. */
  ownChars: z.int().min(0).exactOptional(),
  notSent: storedNotSent.exactOptional(),
});
type StoredSend = z.infer<typeof storedSend>;

export type SendResult = {
  readonly sent: true;
  readonly recipients: number;
  /** The names of attachments that a forward left behind: the first ones, a stranger's words. */
  readonly not_sent?: string[];
  /** How many were left behind, if not all are named. */
  readonly not_sent_total?: number;
};

export function send(stored: StoredSend): Action<StoredSend, SendResult> {
  const { account, message, about, notSent } = stored;
  const { accountId } = account;
  const result: SendResult = {
    sent: true,
    recipients: message.envelope.to.length,
    ...(notSent && namesOf(notSent)),
  };
  return {
    stored,
    account,
    isHeldWhenRepeated: true,
    relocated: [],
    recipients: message.envelope.to,
    reach: { accountIds: [accountId], people: message.envelope.to },
    async facts(ports, reading) {
      const targets = about === null ? [] : [about.target];
      const left = notSent === undefined ? null : notSentText(notSent);
      const effect = { kind: 'send', about: about?.flag ?? null, notSent: left } as const;
      const says = await messageFacts(ports, reading, message, stored.ownChars ?? null);
      return { effect, message: says, details: [], targets };
    },
    async perform(run) {
      await transmit(accountId, message, run);
      return result;
    },
    async check(run) {
      const isSent = await isInSent(accountId, message, run);
      return isSent ? { kind: 'happened', result } : { kind: 'unknown' };
    },
    /** Saves the copy in Sent, then flags the answered message. */
    async followUp(run) {
      await saveCopy(accountId, message, run);
      if (about === null) return;
      const { mail } = run.ports;
      const { call } = await run.mailbox(accountId);
      // A message that is gone or was replaced needs no flag.
      const row = await placeOf(mail, call, about.target);
      if (row !== undefined) await mail.setFlag(call, row.place, about.flag, true, run.start);
    },
  };
}

function namesOf({ files, total }: NotSent): Pick<SendResult, 'not_sent' | 'not_sent_total'> {
  return {
    not_sent: files.map(({ name }) => name),
    ...(total === files.length ? {} : { not_sent_total: total }),
  };
}
