import type { SecondStepView } from '../../../core/owners/second-steps.ts';
import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { SHOWN_FIELD } from '../forms/shown-field.ts';
import { DIRECT_FIELD } from '../keys/confirm-direct.tsx';
import { Link } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerForm, type OwnerVisit, type PageReply, page } from '../visit.ts';
import { PasskeyForm } from './passkeys.tsx';
import { PROVING_FIELD } from './prove-owner.ts';
import { CodeField } from './second-step.tsx';
import type { PasskeyOffer } from './sign-in.tsx';

export const PASSWORD_FIELD = 'owner_password';
/** Of the second step. */
export const CODE_FIELD = 'owner_code';

const REASONS = {
  unsigned: 'This browser did not sign the form, so Countersign asks for your password.',
  always: 'Countersign always asks for your password before this.',
  chosen: 'Your settings ask who you are before this.',
  long_ago: 'You last entered your password a while ago, so Countersign asks for it again.',
} as const;

/** Passwords of other servers. No page repeats them, so the owner enters them again. */
const TYPED_AGAIN: ReadonlyMap<string, string> = new Map([
  ['password', 'Mailbox password'],
  ['new_password', 'New password'],
  ['new_password_again', 'New password again'],
]);

/** Fields that mean nothing to a person. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...[
    'digest',
    'member',
    'note',
    'sequence',
    'request',
    'link',
    'seen',
    DIRECT_FIELD,
    SHOWN_FIELD,
    PROVING_FIELD,
  ],
  ...['was_title', 'was_keywords', 'was_due', 'setup', 'new_passkey'],
]);

/** Why the page asks. */
export interface Asking {
  readonly why?: keyof typeof REASONS;
  readonly problem?: string;
  readonly status?: number;
}

/**
 * Asks for the owner's password, shows what it is for, and repeats the form.
 * @param visit  `fields` contains only the page's own fields
 */
export function confirmPage(
  { path, owner, token, fields }: OwnerVisit,
  { does }: OwnerForm,
  given: Asking & {
    readonly secondStep: SecondStepView | null;
    /** Undefined: the owner has no passkey here. */
    readonly passkey: PasskeyOffer | undefined;
  },
): PageReply {
  const repeated = [...fields].filter(([name]) => !TYPED_AGAIN.has(name));
  const listed = repeated.filter(([name, value]) => value !== '' && !HIDDEN.has(name));
  const [, section = '', subsection] = path.split('/');
  const isRequest = section === 'approvals';
  // `/approvals/{id}/approve`, or `/approvals/together/{id}/approve`.
  const requestPath = path.slice(0, path.lastIndexOf('/'));
  const members = fields.getAll('member').length;
  const parent = subsection === 'webhooks' ? `/${section}/${subsection}` : `/${section}`;
  const hiddenFields = repeated.map(([name, value]) => <input type="hidden" name={name} value={value} />);
  const typedAgain = [...TYPED_AGAIN].map(([name, label]) =>
    fields.has(name) ? (
      <Field label={label} name={name} type="password" required autocomplete="new-password" />
    ) : null,
  );
  return page(
    'Your password',
    <section class="narrow centered">
      <h1>{does}</h1>
      <Problems problems={given.problem === undefined ? [] : [given.problem]} />
      <p>{given.why === undefined ? null : REASONS[given.why]} Nothing has been done yet.</p>
      {isRequest ? (
        <p>
          {members === 0 ? null : `${members} selected. `}
          <Link to={requestPath}>Read {members === 0 ? 'the request' : 'the requests'} again</Link>
        </p>
      ) : null}
      {listed.length === 0 ? null : (
        <dl class="facts" id="repeated">
          {listed.map(([name, value]) => (
            <div>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>
                <span class="lines">
                  <Quoted text={value} />
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Form action={path} token={token} proves="password" label="Your password">
        {hiddenFields}
        {typedAgain}
        <Field label="Email" type="email" value={owner.email} readonly autocomplete="username" />
        <Field
          label="Your password"
          name={PASSWORD_FIELD}
          type="password"
          required
          autofocus
          autocomplete="current-password"
        />
        {given.secondStep === null ? null : <CodeField name={CODE_FIELD} focus={false} />}
        <SubmitOrLeave submit={does} leave="Cancel" to={isRequest ? requestPath : parent} />
      </Form>
      {given.passkey === undefined ? null : (
        <PasskeyForm
          action={path}
          token={token}
          label="Your passkey"
          button="Use a passkey instead"
          {...given.passkey}
        >
          {hiddenFields}
          {typedAgain}
        </PasskeyForm>
      )}
    </section>,
    given.status ?? 403,
  );
}
