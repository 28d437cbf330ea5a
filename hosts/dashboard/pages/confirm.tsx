import { Field, Form, Problems } from '../forms.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerForm, type OwnerVisit, type PageReply, page } from '../visit.ts';

export const PASSWORD_FIELD = 'owner_password';

const REASONS = {
  unsigned: 'This browser did not sign the form, so Countersign asks for your password.',
  long_ago: 'You last typed your password a while ago, so Countersign asks for it again.',
} as const;

/** Secrets of other servers. No page carries them, so they are typed again. */
const TYPED_AGAIN: ReadonlyMap<string, string> = new Map([['password', 'Mailbox password']]);

/** Fields that say nothing to a person. */
const UNTOLD: ReadonlySet<string> = new Set(['digest', 'note']);

/**
 * Asks for the owner's password, shows what it is for, and repeats the form that was sent.
 * @param visit  with the fields that the page itself sent
 */
export function confirmPage(
  { path, param, owner, token, fields }: OwnerVisit,
  { does }: OwnerForm,
  asked: { why?: keyof typeof REASONS; problem?: string; status?: number },
): PageReply {
  const repeated = [...fields].filter(([name]) => !TYPED_AGAIN.has(name));
  const told = repeated.filter(([name, value]) => value !== '' && !UNTOLD.has(name));
  const [, section = ''] = path.split('/');
  const isRequest = section === 'approvals';
  return page(
    'Your password',
    <section class="narrow centered">
      <h1>{does}</h1>
      <Problems problems={asked.problem === undefined ? [] : [asked.problem]} />
      <p>{asked.why === undefined ? null : REASONS[asked.why]} Nothing has been done yet.</p>
      {isRequest ? (
        <p>
          <a href={`/approvals/${param}`}>Read the request again</a>
        </p>
      ) : null}
      {told.length === 0 ? null : (
        <dl class="facts" id="repeated">
          {told.map(([name, value]) => (
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
        {repeated.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {[...TYPED_AGAIN].map(([name, label]) =>
          fields.has(name) ? (
            <Field label={label} name={name} type="password" required autocomplete="new-password" />
          ) : null,
        )}
        <Field label="Email" type="email" value={owner.email} readonly autocomplete="username" />
        <Field
          label="Your password"
          name={PASSWORD_FIELD}
          type="password"
          required
          autofocus
          autocomplete="current-password"
        />
        <div class="decision">
          <button type="submit">{does}</button>
          <a class="button-like" href={isRequest ? `/approvals/${param}` : `/${section}`}>
            Cancel
          </a>
        </div>
      </Form>
    </section>,
    asked.status ?? 403,
  );
}
