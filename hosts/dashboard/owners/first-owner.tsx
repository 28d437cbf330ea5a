import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../../core/secrets/password.ts';
import { newSessionFacts } from '../browser-facts.ts';
import { orProblems } from '../forms/field-errors.ts';
import { Field, Form, Problems } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { DATA } from '../page-protocol.ts';
import { notFoundPage, staleFormPage } from '../problem.tsx';
import { type PageReply, page, type Reply, redirect, type Visit } from '../visit.ts';
import { limitTries } from './password-tries.ts';
import { startSession } from './session.ts';
import { visitorToken, withVisitorToken } from './visitor-token.ts';

const NEXT = '/setup';

/** The page of the setup link: its user becomes the first owner. Looking at it changes nothing. */
export async function showFirstOwner(visit: Visit): Promise<Reply> {
  const { service, options, param, address } = visit;
  if (options.appSignIn !== undefined) return notFoundPage();
  if (!(await service.setup.isOpen({ secret: param, address }))) return closedPage();
  return withVisitorToken(visit, (token) => firstOwnerPage(visit, token, []));
}

export async function createFirstOwner(visit: Visit): Promise<Reply> {
  const { service, options, param, address, fields } = visit;
  if (options.appSignIn !== undefined) return notFoundPage();
  const token = visitorToken(visit);
  if (token === undefined) return staleFormPage();
  const email = fields.get('email')?.trim() ?? '';
  const password = fields.get('password') ?? '';
  const timezone = fields.get('timezone')?.trim() ?? '';
  if (fields.get('password_again') !== password) {
    return firstOwnerPage(visit, token, ['Password: the two are not the same.']);
  }
  const owner = { secret: param, address, email, password, timezone };
  const completed = await orProblems(() => service.setup.complete(owner), FIELD_NAMES);
  if ('problems' in completed) return firstOwnerPage(visit, token, completed.problems);
  return completed.value ? signIn(visit, { email, password }) : closedPage();
}

const FIELD_NAMES = new Map([
  ['email', 'Email'],
  ['password', 'Password'],
  ['timezone', 'Time zone'],
]);

/** Saves the new owner from entering the password again. If that fails, the owner is there, and signs in. */
async function signIn(visit: Visit, owner: { email: string; password: string }): Promise<Reply> {
  const attempt = { ...owner, ...newSessionFacts(visit) };
  const check = await limitTries(() => visit.service.sessions.signIn(attempt));
  const isIn = check.kind === 'checked' && check.result?.kind === 'signed_in';
  return isIn ? startSession(visit, check.result, NEXT) : redirect(`/sign-in?next=${NEXT}`);
}

function firstOwnerPage({ param, fields }: Visit, token: string, problems: readonly string[]): PageReply {
  const timezone = fields.get('timezone');
  return page(
    'Set up Countersign',
    <section class="narrow centered">
      <h1>Set up Countersign</h1>
      <p>
        You are the first here. What your agents ask for waits until you approve it on these pages. Choose how
        you sign in to them.
      </p>
      <Problems problems={problems} />
      <Form action={`/setup/${param}`} token={token} proves="password" label="First owner">
        <Field
          label="Email"
          name="email"
          type="email"
          required
          autocomplete="username"
          autofocus={problems.length === 0}
          value={fields.get('email') ?? ''}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          autofocus={problems.length > 0}
          minLength={PASSWORD_CHARS_MIN}
          maxLength={PASSWORD_CHARS_MAX}
          autocomplete="new-password"
        />
        <p class="quiet">At least {PASSWORD_CHARS_MIN} characters. It is not the password of your mailbox.</p>
        <Field
          label="The same password again"
          name="password_again"
          type="password"
          required
          autocomplete="new-password"
        />
        <Field
          label="Time zone"
          name="timezone"
          required
          value={timezone ?? 'UTC'}
          {...{ [DATA.timeZone]: timezone === null ? '' : undefined }}
        />
        <button type="submit">Continue</button>
      </Form>
      <p class="quiet">After that, this link no longer works.</p>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

/** Says the same whatever is wrong with the link. */
function closedPage(): PageReply {
  return page(
    'Set up Countersign',
    <section class="narrow">
      <h1>This link does not work</h1>
      <p>
        A setup link works once, for an hour, and only until there is an owner. If you are the owner,{' '}
        <Link to="/sign-in">sign in</Link>. If there is none yet, run <code>countersign setup-link</code> on
        the server for a new link.
      </p>
    </section>,
    404,
  );
}
