import type { ListedSession, StoredSession } from '../../../core/owners/session.ts';
import { Form } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { accessChangesSection } from './access-changes.tsx';
import { alteredAccessSection } from './altered-access.tsx';
import { DateLanguageSection } from './date-language.tsx';
import { newPasskey } from './passkey-settings.tsx';
import { passkeyPlace } from './passkeys.tsx';
import { PlansKeptSection } from './plans-kept.tsx';
import { ProofForSection } from './proof-for.tsx';
import { SecondStepSection } from './second-step-settings.tsx';
import { TimeZoneSection } from './time-zone.tsx';

export async function settingsPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, session, token, query } = visit;
  const { timezone: zone, language, plansKeptDays } = owner;
  const now = new Date();
  return page(
    'Settings',
    <>
      <h1>Settings</h1>
      <Notice code={query.get('notice')} />
      {await alteredAccessSection(visit)}
      {await accessChangesSection(visit)}
      {session.kind === 'app' && service.notices.kinds.length === 0 ? null : <NoticesSection />}
      <TimeZoneSection zone={zone} token={token} now={now} />
      <DateLanguageSection language={language} zone={zone} token={token} now={now} />
      {session.kind === 'app' ? null : await ownSignIn(visit, session.stored)}
      <PlansKeptSection days={plansKeptDays} token={token} />
      <section aria-labelledby="data">
        <h2 id="data">Your data</h2>
        <p class="quiet">
          The export is one JSON file with everything that Countersign stores about you, without passwords and
          other secrets. Your mail stays where it is.
        </p>
        <div class="actions">
          <Form action="/settings/export" token={token}>
            <button type="submit" class="outline">
              Export everything
            </button>
          </Form>
          {session.kind === 'app' ? null : (
            <Link class="button-like" to="/settings/remove">
              Remove everything
            </Link>
          )}
        </div>
      </section>
    </>,
  );
}

function NoticesSection() {
  return (
    <section aria-labelledby="notices">
      <h2 id="notices">Notices</h2>
      <p class="quiet">Where Countersign tells you that something waits, and when.</p>
      <Link class="button-like" to="/settings/notices">
        Set up notices
      </Link>
    </section>
  );
}

/** What belongs to Countersign's own sign-in. An app that signs its users in has its own pages for that. */
async function ownSignIn(visit: OwnerVisit, current: StoredSession) {
  const { service, owner, token } = visit;
  const { timezone: zone } = owner;
  const sessions = await service.sessions.list(owner.ownerId);
  const secondStep = await service.secondSteps.show(owner.ownerId);
  const others = sessions.filter(({ id }) => id !== current.id);
  return (
    <>
      <section aria-labelledby="password">
        <h2 id="password">Password</h2>
        <p class="quiet">
          What you sign in with here, as <Quoted text={owner.email} />.
        </p>
        <Link class="button-like" to="/settings/password">
          Change password
        </Link>
      </section>
      <SecondStepSection
        shown={secondStep}
        newPasskey={await newPasskey(visit)}
        host={passkeyPlace(visit)?.host}
        token={token}
        zone={zone}
      />
      <ProofForSection level={owner.proofFor} token={token} />
      <section aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        <p class="quiet">
          Where you are signed in. End any session you do not recognise. A new password ends all of them.
        </p>
        <ul class="rows">
          <Row session={{ ...current, isAltered: false }} zone={zone} />
          {others.map((other) => (
            <Row session={other} zone={zone} token={token} />
          ))}
        </ul>
        {others.length === 0 ? null : (
          <div class="actions">
            <Form action="/settings/sessions/end-others" token={token}>
              <button type="submit" class="outline">
                End all other sessions
              </button>
            </Form>
          </div>
        )}
      </section>
    </>
  );
}

export async function endSession({ service, owner, session, param }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  if (!(await service.sessions.end(owner.ownerId, param))) return notFoundPage();
  return redirect('/settings?notice=session_ended');
}

export async function endOtherSessions({ service, session }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  await service.sessions.endOthers(session.stored);
  return redirect('/settings?notice=sessions_ended');
}

/** The current session has no token here: signing out ends it. */
function Row({ session, zone, token }: { session: ListedSession; zone: string; token?: string }) {
  return (
    <li>
      <div class="row-head">
        <strong>
          <Quoted text={session.browser} />
        </strong>
        {token === undefined ? (
          <span class="state" data-state="open">
            This session
          </span>
        ) : (
          <div class="actions">
            <Form action={`/settings/sessions/${session.id}/end`} token={token}>
              <button type="submit" class="outline secondary">
                End
              </button>
            </Form>
          </div>
        )}
      </div>
      <div class="quiet">
        signed in <When at={session.createdAt} zone={zone} /> from <Quoted text={session.address} /> · last
        used <When at={session.lastUsedAt} zone={zone} />
      </div>
      {session.isAltered ? (
        <p role="alert">This session was changed or added outside Countersign. It opens nothing.</p>
      ) : null}
    </li>
  );
}
