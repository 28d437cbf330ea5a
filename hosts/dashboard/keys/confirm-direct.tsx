import type { Modes } from '../../../core/keys/permissions.ts';
import { newlyDirect } from '../../../core/owners/step-up.ts';
import { Form, SubmitOrLeave } from '../forms/forms.tsx';
import { GROUP_TITLES } from '../labels.ts';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page } from '../visit.ts';

/** Names the groups that the owner has confirmed, separated by commas. */
export const DIRECT_FIELD = 'direct_confirmed';

/**
 * Asks the owner to confirm modes that let a program do things that are hard to undo without asking, and repeats the
 * form. Undefined if none of these modes is new, or the owner has confirmed them.
 * @param name  of the key or the assistant
 * @param before  the modes that it had, or those of its preset
 */
export function confirmDirect(
  { path, token, fields }: OwnerVisit,
  name: string,
  before: Modes,
  changes: Partial<Modes>,
): PageReply | undefined {
  const groups = newlyDirect(before, changes);
  const confirmed = new Set((fields.get(DIRECT_FIELD) ?? '').split(','));
  if (groups.every((group) => confirmed.has(group))) return undefined;
  return page(
    'Without asking you',
    <section class="narrow">
      <h1>Let it act without asking you?</h1>
      <p>
        <Quoted text={name} /> will do this on its own. You see it afterwards, under Activity:
      </p>
      <ul>
        {groups.map((group) => (
          <li>{GROUP_TITLES[group]}</li>
        ))}
      </ul>
      <p>
        Whoever can make the program believe something can then make it act in your name. Countersign still
        asks you if something stands out, such as a recipient you have never written to or text that looks
        like a password. It cannot notice everything.
      </p>
      <Form action={path} token={token} label="Without asking">
        {[...fields]
          .filter(([field]) => field !== DIRECT_FIELD)
          .map(([field, value]) => (
            <input type="hidden" name={field} value={value} />
          ))}
        <input type="hidden" name={DIRECT_FIELD} value={groups.join(',')} />
        <SubmitOrLeave submit="Let it act without asking" leave="Cancel" to="/integrations" />
      </Form>
    </section>,
  );
}
