import * as z from 'zod';
import { isReservedLabel, isReservedPath } from '../folders/guarded-paths.ts';
import { MailError } from '../ports/mail.ts';
import type { Action } from './action.ts';
import { type Changed, changeEach } from './change-messages.ts';
import { accountOf, messageTarget, reachOf } from './message-target.ts';

/** Puts a label on messages. On some servers a label is a copy in the folder of that name. */

export const storedLabel = z.strictObject({
  kind: z.literal('label'),
  label: z.string(),
  targets: z.array(messageTarget).min(1),
});
type StoredLabel = z.infer<typeof storedLabel>;

type Labelled = {
  readonly labelled_by: 'keyword' | 'gmail_label' | 'copy';
};

export function label(stored: StoredLabel): Action<StoredLabel, Changed<Labelled>> {
  const { label, targets } = stored;
  return {
    stored,
    account: accountOf(targets),
    isHeldWhenRepeated: false,
    // A copy is never in the inbox: no label has its name.
    relocated: targets.map(({ mark }) => ({ mark, movedIn: null })),
    recipients: [],
    reach: reachOf(targets),
    facts: async () => ({
      effect: { kind: 'label', label },
      details: [{ label: 'Label', text: label }],
      targets,
    }),
    async perform(run) {
      const items = await changeEach(targets, run, async (mailbox, row) => {
        // The owner may have chosen other folders since it was filed.
        const roles = mailbox.account.folderRoles;
        if (isReservedLabel(label, roles, [])) {
          throw new MailError('refused', 'the label means a folder that has a special purpose');
        }
        const request = { name: label, mayCopyInto: (path: string) => !isReservedPath(path, roles) };
        return { labelled_by: await run.ports.mail.label(mailbox.call, row.place, request, run.start) };
      });
      return { done: true, action: 'label', items };
    },
    // If a label is a copy, another attempt could create a second one.
    check: async () => ({ kind: 'unknown' }),
  };
}
