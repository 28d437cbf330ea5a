import type { ComponentChildren } from 'preact';
import { AddressForm } from '../accounts/accounts.tsx';
import { CreateKeyForm } from '../keys/create-key-form.tsx';
import { FirstCall } from '../keys/first-call.tsx';
import { Link } from '../links.tsx';
import { type NextStep, stepAfter } from '../next-step.tsx';
import { Notice } from '../notice.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';

const STEPS: readonly NextStep[] = ['mailbox', 'key', 'first_call'];
/** Until the first call. */
const REFRESH_S = 3;

/** Leads an owner from an empty Countersign to an agent that works with a mailbox. */
export async function setupPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, query } = visit;
  const { ownerId } = owner;
  const [accounts, use] = await Promise.all([service.accounts.list(ownerId), service.keys.use(ownerId)]);
  const step = stepAfter(accounts, use);
  const stateOf = (one: NextStep): StepState => {
    if (one === step) return 'now';
    return step === 'done' || STEPS.indexOf(one) < STEPS.indexOf(step) ? 'done' : 'later';
  };
  const shown = page(
    'Set up',
    <>
      <h1>{step === 'done' ? 'Everything is set up' : 'Set up Countersign'}</h1>
      <Notice code={query.get('notice')} />
      <ol class="steps">
        <Step title="Sign in" state="done">
          <p class="quiet">
            You are signed in as <Quoted text={owner.email} />.
          </p>
        </Step>
        <Step title="Connect your mailbox" state={stateOf('mailbox')}>
          {accounts.length === 0 ? (
            <Mailbox visit={visit} />
          ) : (
            <p class="quiet">
              <Quoted text={accounts.map(({ email }) => email).join(', ')} />
            </p>
          )}
        </Step>
        <Step title="Give your agent a key" state={stateOf('key')}>
          {step === 'key' ? <CreateKeyForm visit={visit} accounts={accounts} isSetup /> : null}
        </Step>
        <Step title="Make the first call" state={stateOf('first_call')}>
          {step === 'first_call' ? <Call visit={visit} /> : null}
        </Step>
      </ol>
      {step === 'done' ? (
        <p>
          Your agent works. What it asks for comes to <Link to="/approvals">Approvals</Link>, and nothing
          happens before you approve it there.
        </p>
      ) : null}
    </>,
  );
  return step === 'first_call' ? { ...shown, refreshS: REFRESH_S } : shown;
}

type StepState = 'done' | 'now' | 'later';

function Step(props: { title: string; state: StepState; children: ComponentChildren }) {
  const { title, state, children } = props;
  return (
    <li data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <h2>
        {title}
        {state === 'done' ? <span class="state">done</span> : null}
      </h2>
      {children}
    </li>
  );
}

function Mailbox({ visit }: { visit: OwnerVisit }) {
  if (visit.options.connect === undefined) {
    return (
      <p>
        <Link to="/accounts">See how accounts are connected here</Link>
      </p>
    );
  }
  // Usually the owner signs in with the address of the mailbox.
  const fields = new URLSearchParams({ email: visit.owner.email });
  return <AddressForm visit={{ ...visit, fields }} problems={[]} />;
}

function Call({ visit }: { visit: OwnerVisit }) {
  return (
    <>
      <p>
        Put the key into your agent, or run the command that was shown with it. If you did not copy the key,{' '}
        <Link to="/integrations">rotate it</Link>: that makes a new one.
      </p>
      <FirstCall at={null} zone={visit.owner.timezone} />
    </>
  );
}
