import { ACCESS_CHANGES, type AccessChange } from '../../../core/owners/access-change.ts';
import { Form } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';

const TEXTS: Record<AccessChange, string> = {
  password: 'Your password was changed',
  second_step: 'Your second step was changed',
  recovery_code: 'A recovery code was used',
};

/** The changes of the owner's own access that the owner has not confirmed, in this order. */
async function unconfirmed({ service, owner, session }: OwnerVisit) {
  // An app that signs its users in itself changes none of it here.
  if (session.kind === 'app') return [];
  const changes = await service.owners.accessChanges(owner.ownerId);
  return ACCESS_CHANGES.flatMap((what) => {
    const at = changes[what];
    return at === null ? [] : [{ what, at }];
  });
}

/** A line for each change. Renders nothing if there is none. */
export async function accessChanges(visit: OwnerVisit) {
  const changes = await unconfirmed(visit);
  if (changes.length === 0) return null;
  return (
    <p class="note" id="access-changes">
      {changes.map(({ what, at }) => (
        <>
          {TEXTS[what]}: <When at={at} zone={visit.owner.timezone} />.{' '}
        </>
      ))}
      <Link to="/settings">Was it you?</Link>
    </p>
  );
}

/** What changed, what to do if it was somebody else, and the button that confirms it. Null: nothing changed. */
export async function accessChangesSection(visit: OwnerVisit) {
  const changes = await unconfirmed(visit);
  if (changes.length === 0) return null;
  const newest = changes.reduce((last, { at }) => Math.max(last, at.getTime()), 0);
  return (
    <section class="note" aria-labelledby="access-changes">
      <h2 id="access-changes">Was it you?</h2>
      <ul>
        {changes.map(({ what, at }) => (
          <li>
            {TEXTS[what]}: <When at={at} zone={visit.owner.timezone} />
          </li>
        ))}
      </ul>
      <p>
        If it was not you, somebody else can sign in here. Change your password now, which ends all sessions,
        and then remove every passkey and app that you do not know.
      </p>
      <Form action="/settings/access-changes" token={visit.token}>
        <input type="hidden" name="until" value={String(newest)} />
        <button type="submit" class="outline">
          It was me
        </button>
      </Form>
    </section>
  );
}

export async function confirmAccessChanges({ service, owner, fields }: OwnerVisit): Promise<Reply> {
  const until = fields.get('until') ?? '';
  if (/^\d{1,15}$/.test(until))
    await service.owners.confirmAccessChanges(owner.ownerId, new Date(Number(until)));
  return redirect('/settings');
}
