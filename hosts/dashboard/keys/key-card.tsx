import type { CredentialUse } from '../../../core/keys/key-storage.ts';
import type { Credential } from '../../../core/keys/live-key.ts';
import { GROUPS } from '../../../core/keys/permissions.ts';
import type { Account } from '../../../core/ports/account.ts';
import { Form } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import type { OwnerVisit } from '../visit.ts';
import { When } from '../when.tsx';
import { FenceFields, fenceTexts } from './fence-fields.tsx';
import { modesInWords } from './modes-in-words.ts';
import { ModeChoice } from './permission-fields.tsx';

/** A live key, or the live sign-in of an assistant. @param props  `use`: undefined if it was just revoked */
export function KeyCard(props: {
  credential: Credential;
  use: CredentialUse | undefined;
  visit: OwnerVisit;
  accounts: readonly Account[];
}) {
  const { credential, use, visit, accounts } = props;
  const { credentialId, name, kind, pausedAt, fences, modes } = credential;
  const { token, owner } = visit;
  const { timezone: zone, plan } = owner;
  const fenced = fenceTexts(fences, accounts, zone);
  const path = `/integrations/${credentialId}`;
  return (
    <article class="key">
      <div class="row-head">
        <strong>
          <Quoted text={name} />
        </strong>
        <div class="actions">
          <Form action={`${path}/${pausedAt === null ? 'pause' : 'resume'}`} token={token}>
            <button type="submit" class="outline">
              {pausedAt === null ? 'Pause' : 'Resume'}
            </button>
          </Form>
          {kind === 'oauth' ? (
            <Link class="button-like" to={`${path}/withdraw`}>
              Withdraw
            </Link>
          ) : (
            <>
              <Link class="button-like" to={`${path}/rotate`}>
                Rotate
              </Link>
              <Link class="button-like" to={`${path}/revoke`}>
                Revoke
              </Link>
            </>
          )}
        </div>
      </div>
      <p class="modes-in-words">{modesInWords(modes, plan)}</p>
      <div class="quiet">
        <LastUsed credential={credential} use={use} zone={zone} /> · <Waiting count={use?.waiting ?? 0} />
      </div>
      <div class="quiet">
        created <When at={credential.createdAt} zone={zone} /> · expires{' '}
        <When at={credential.expiresAt} zone={zone} />
        {credential.overlapUntil === null ? null : (
          <>
            {' '}
            · the previous one works until <When at={credential.overlapUntil} zone={zone} />
          </>
        )}
      </div>
      {pausedAt === null ? null : (
        <p class="note">
          Paused since <When at={pausedAt} zone={zone} />. It can only read and withdraw its own requests.
          What waits runs only if you approve it.
        </p>
      )}
      {fenced.length === 0 ? null : (
        <div class="quiet">
          Fences: <Quoted text={fenced.join(' · ')} />
        </div>
      )}
      <details class="fences">
        <summary>Modes</summary>
        <Form action={`${path}/modes`} token={token} label={`Modes of ${visibleText(name)}`}>
          <div class="columns modes">
            {GROUPS.map((group) => (
              <ModeChoice of={credentialId} group={group} plan={plan} value={modes[group]} />
            ))}
          </div>
          <button type="submit" class="outline">
            Save modes
          </button>
        </Form>
      </details>
      <details class="fences">
        <summary>Fences</summary>
        <Form action={`${path}/fences`} token={token} label={`Fences of ${visibleText(name)}`}>
          <FenceFields of={credentialId} fences={fences} accounts={accounts} zone={zone} />
          <button type="submit" class="outline">
            Save fences
          </button>
        </Form>
      </details>
    </article>
  );
}

/** Shows only the name: somebody else may have written the rest. */
export function AlteredKey({ credential }: { credential: Credential }) {
  return (
    <article class="key">
      <div class="row-head">
        <strong>
          <Quoted text={credential.name} />
        </strong>
        <div class="actions">
          <Link class="button-like" to={`/integrations/${credential.credentialId}/revoke`}>
            Revoke
          </Link>
        </div>
      </div>
      <p role="alert">This key was changed outside Countersign. Revoke it and create a new one.</p>
    </article>
  );
}

function LastUsed(props: { credential: Credential; use: CredentialUse | undefined; zone: string }) {
  const { credential, use, zone } = props;
  const at = use?.lastCallAt ?? null;
  if (at === null) return <>not used in the last 90 days</>;
  return (
    <>
      last used <When at={at} zone={zone} /> (
      <Link to={`/activity?key=${credential.credentialId}`}>what it did</Link>)
    </>
  );
}

function Waiting({ count }: { count: number }) {
  if (count === 0) return <>nothing waits for you</>;
  return (
    <Link to="/approvals">{count === 1 ? '1 request waits for you' : `${count} requests wait for you`}</Link>
  );
}
