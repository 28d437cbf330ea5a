import type { Credential } from '../../../core/keys/live-key.ts';
import { Form, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { keyOf } from './visited-key.ts';

/** Asks for confirmation before a key is revoked, or a sign-in withdrawn: neither comes back. */
export async function revokeKeyPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, token } = visit;
  const key = await keyOf(visit);
  if (key === undefined || (key.revokedAt !== null && !key.isAltered)) return notFoundPage();
  const [use, endpoints] = await Promise.all([
    service.keys.use(owner.ownerId),
    service.webhooks.list(owner.ownerId),
  ]);
  const waiting = use.get(key.credentialId)?.waiting ?? 0;
  const deaf = endpoints.filter(({ keyId, disabled }) => keyId === key.credentialId && disabled === null);
  const { title, verb, again } = WORDS[key.kind];
  return page(
    title,
    <section class="narrow">
      <h1>{title}</h1>
      <p>
        {verb} <Quoted text={key.name} />? This cannot be undone.
      </p>
      <ul id="consequences">
        <li>The program loses all access at once.</li>
        <li>{requestsInWords(waiting)}</li>
        <li>Requests that you approved and that have not started do not run.</li>
        {deaf.length === 0 ? null : (
          <li>
            Its webhooks get no new events: {deaf.length === 1 ? 'one endpoint' : `${deaf.length} endpoints`}.
          </li>
        )}
        <li>{again}</li>
      </ul>
      <p class="quiet">Pausing stops it too, and can be undone.</p>
      <Form action={`/integrations/${key.credentialId}/${ACTION[key.kind]}`} token={token}>
        <SubmitOrLeave submit={verb} leave="Keep it" to="/integrations" />
      </Form>
    </section>,
  );
}

export async function revokeKey({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.keys.revoke(owner.ownerId, param);
  return redirect('/integrations?notice=key_revoked');
}

export async function withdrawSignIn({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.keys.revoke(owner.ownerId, param);
  return redirect('/integrations?notice=sign_in_withdrawn');
}

/** The last part of the path of the form. */
const ACTION: Readonly<Record<Credential['kind'], string>> = { pat: 'revoke', oauth: 'withdraw' };

const WORDS: Readonly<Record<Credential['kind'], { title: string; verb: string; again: string }>> = {
  pat: {
    title: 'Revoke key',
    verb: 'Revoke',
    again: 'To let the program work again, create a new key.',
  },
  oauth: {
    title: 'Withdraw sign-in',
    verb: 'Withdraw',
    again: 'To let the assistant work again, start the sign-in in it anew.',
  },
};

function requestsInWords(waiting: number): string {
  if (waiting === 0) return 'None of its requests waits for you now.';
  return waiting === 1
    ? 'Its waiting request is cancelled.'
    : `Its ${waiting} waiting requests are cancelled.`;
}
