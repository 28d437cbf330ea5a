import { randomUUID } from 'node:crypto';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import type { Account } from '../../../core/ports/account.ts';
import { Field, Form } from '../forms/forms.tsx';
import type { OwnerVisit } from '../visit.ts';
import { FenceFields, readFences } from './fence-fields.tsx';
import { PermissionFields } from './permission-fields.tsx';

/** In a form of the setup: its next page leads back there. */
export const SETUP_FIELD = 'setup';

/** The form that creates a key. Keeps what was entered. @param props  `isSetup`: it is a step of the setup */
export function CreateKeyForm(props: { visit: OwnerVisit; accounts: readonly Account[]; isSetup?: boolean }) {
  const { visit, accounts, isSetup = false } = props;
  const { owner, token } = visit;
  // The fields may be those of another form of this page.
  const fields = visit.fields.has('name') ? visit.fields : new URLSearchParams();
  const read = readFences(fields, owner.timezone);
  return (
    <Form action="/integrations" token={token} label="Create key">
      <input type="hidden" name="request" value={fields.get('request') ?? randomUUID()} />
      {isSetup || fields.has(SETUP_FIELD) ? <input type="hidden" name={SETUP_FIELD} value="yes" /> : null}
      <div class="columns">
        <Field
          label="Name"
          name="name"
          value={fields.get('name') ?? ''}
          placeholder="of the program that gets it"
          autofocus={isSetup}
          required
        />
      </div>
      <PermissionFields plan={owner.plan} fields={fields} />
      <details open={'problems' in read}>
        <summary>Fences: only some accounts, recipients, or until a day</summary>
        <FenceFields
          of="new"
          fences={'fences' in read ? read.fences : NO_FENCES}
          accounts={accounts}
          zone={owner.timezone}
        />
      </details>
      <button type="submit">Create key</button>
    </Form>
  );
}
