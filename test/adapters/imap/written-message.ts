import { randomBytes } from 'node:crypto';
import { composeMessage, withDate } from '../../../core/mail/compose.ts';
import type { Outgoing } from '../../../core/ports/mail-sending.ts';
import { newWrittenId } from '../../../core/provenance/written-id.ts';
import { addressOf } from '../../servers/mail-users.ts';

/** Returns a message of ours, from the user to somebody, with an id of its own. */
export function writtenBy(user: string): Outgoing {
  const requestId = newWrittenId(randomBytes);
  const letter = {
    from: { name: '', address: addressOf(user) },
    to: ['bob@example.test'],
    subject: 'Plan',
    text: 'x',
    messageId: `<${requestId}@example.test>`,
    inReplyTo: null,
    references: [],
    requestId,
  };
  const date = new Date();
  const envelope = { from: letter.from.address, to: letter.to };
  return { envelope, bytes: withDate(composeMessage(letter), date), date, messageId: letter.messageId };
}
