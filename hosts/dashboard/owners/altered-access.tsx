import type { AlteredAccess } from '../../../core/owners/owner-storage.ts';
import { Link } from '../links.tsx';
import type { OwnerVisit } from '../visit.ts';

const TEXTS: Record<
  AlteredAccess,
  { readonly what: string; readonly advice: string; readonly command?: string }
> = {
  password: {
    what: 'Your password was changed outside Countersign',
    advice: 'Nobody can sign in with it. Whoever runs this server can set a new one:',
    command: 'countersign owner password',
  },
  second_step: {
    what: 'Your second step was changed outside Countersign',
    advice:
      'Nobody can sign in with your password or with a passkey. Whoever runs this server can remove the second step:',
    command: 'countersign owner second-step-off',
  },
  session: {
    what: 'A session was changed or added outside Countersign',
    advice: 'It opens nothing. You can end it below.',
  },
};

/** What of the owner's access was changed outside Countersign. An app that signs its users in itself keeps none of it here. */
function altered({ service, owner, session }: OwnerVisit): Promise<readonly AlteredAccess[]> {
  return session.kind === 'app' ? Promise.resolve([]) : service.owners.alteredAccess(owner.ownerId);
}

/** One line. Renders nothing if nothing was changed. */
export async function alteredAccess(visit: OwnerVisit) {
  const found = await altered(visit);
  if (found.length === 0) return null;
  return (
    <div class="problem" role="alert">
      <p>
        {found.map((one) => `${TEXTS[one].what}. `)}
        <Link to="/settings">What to do</Link>
      </p>
    </div>
  );
}

/** What was changed and what to do. Null: nothing was changed. */
export async function alteredAccessSection(visit: OwnerVisit) {
  const found = await altered(visit);
  if (found.length === 0) return null;
  return (
    <section class="problem" aria-labelledby="altered-access">
      <h2 id="altered-access">Changed outside Countersign</h2>
      {found.map((one) => {
        const { what, advice, command } = TEXTS[one];
        return (
          <p>
            {what}. {advice}
            {command === undefined ? null : (
              <>
                {' '}
                <code>
                  {command} {visit.owner.email}
                </code>
              </>
            )}
          </p>
        );
      })}
      <p>Find out who can write to the database: nobody but Countersign should.</p>
    </section>
  );
}
