import { KEY_DAYS_DEFAULT, ROTATION_OVERLAP_HOURS } from '../../../core/keys/credential.ts';
import { Form, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { When } from '../when.tsx';
import { repeatedPage, rotatedKeyPage } from './new-key.tsx';
import { keyOf } from './visited-key.ts';

/** Says what a rotation does. */
export async function rotateKeyPage(visit: OwnerVisit): Promise<Reply> {
  const { owner, token } = visit;
  const key = await keyOf(visit);
  if (key === undefined || key.kind !== 'pat' || key.isAltered || key.revokedAt !== null) {
    return notFoundPage();
  }
  return page(
    'Rotate key',
    <section class="narrow">
      <h1>Rotate key</h1>
      <p>
        <Quoted text={key.name} /> gets a new key for {KEY_DAYS_DEFAULT} days. You see it once, on the next
        page.
      </p>
      <ul id="consequences">
        <li>
          The present key goes on working for {ROTATION_OVERLAP_HOURS} hours, so that you can replace it in
          the program without a gap. It ends sooner if it expires sooner.
        </li>
        {key.overlapUntil === null ? null : (
          <li>
            The key before it still works, until <When at={key.overlapUntil} zone={owner.timezone} /> at the
            latest.
          </li>
        )}
        <li>Modes, fences and waiting requests stay as they are.</li>
      </ul>
      <p class="quiet">If the key may be in the wrong hands, revoke it instead: that ends it at once.</p>
      <Form action={`/integrations/${key.credentialId}/rotate`} token={token}>
        <input type="hidden" name="seen" value={key.expiresAt.getTime()} />
        <SubmitOrLeave submit="Rotate" leave="Cancel" to="/integrations" />
      </Form>
    </section>,
  );
}

/** Rotates the key, and shows the new one. The same form rotates it only once. */
export async function rotateKey(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const key = await keyOf(visit);
  if (key === undefined) return notFoundPage();
  const seen = /^\d{1,15}$/.exec(fields.get('seen') ?? '')?.[0];
  const seenExpiresAt = seen === undefined ? key.expiresAt : new Date(Number(seen));
  if (seenExpiresAt.getTime() !== key.expiresAt.getTime()) return repeatedPage(key.name);
  const { apiKey } = await service.keys.rotate(owner.ownerId, param, seenExpiresAt);
  return rotatedKeyPage(service.baseUrl, key.name, apiKey);
}
