import { WHY_UNUSABLE } from '../../../core/calendar/why-unusable.ts';
import type { UnusableCalendar } from '../../../core/ports/calendar.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { Choice, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { nextStep } from '../next-step.tsx';
import { Notice } from '../notice.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { accountNamed } from './account-name.tsx';
import { connectionProblems } from './connection-problems.ts';

/** Asks which calendar of an account new events are put into. */
export async function calendarPage(visit: OwnerVisit, problems: readonly string[] = []): Promise<Reply> {
  const { service, owner, options, token, param, query } = visit;
  const account = await accountNamed(service, owner, param);
  if (account === undefined || options.connect?.withCalendar === undefined) return notFoundPage();
  const path = `/accounts/${account.accountId}/calendar`;
  const found = await calendarsOf(visit, account.accountId);
  const all = [...problems, ...('problems' in found ? found.problems : [])];
  return page(
    'Calendar',
    <section class="narrow">
      <h1>Calendar</h1>
      <Notice code={query.get('notice')} />
      <p>
        The calendar of <Quoted text={account.email} /> that new events are put into. All of its calendars are
        read.
      </p>
      <Problems problems={all} />
      {'problems' in found || found.options.length === 0 ? (
        <p>
          {'problems' in found ? null : 'The account has no calendar that new events can be put into. '}
          <Link to="/accounts">Go to the accounts</Link>
        </p>
      ) : (
        <Form action={path} token={token} label="Calendar">
          <Choice
            id="calendar"
            label="Calendar for new events"
            name="calendar"
            value={found.target}
            options={found.options}
          />
          <SubmitOrLeave submit="Save" leave="Back" to="/accounts" />
        </Form>
      )}
      {'problems' in found || found.unusable.length === 0 ? null : <NotUsed calendars={found.unusable} />}
    </section>,
    all.length === 0 ? 200 : 422,
  );
}

/** The calendars that are missing from the choice, and from lists of events. */
function NotUsed({ calendars }: { calendars: readonly UnusableCalendar[] }) {
  return (
    <>
      <h2>Not used</h2>
      <ul id="not-used">
        {calendars.map(({ name, reason }) => (
          <li>
            “<Quoted text={name} />” {WHY_UNUSABLE[reason]}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The calendars come from a server, so their names are untrusted text. */
async function calendarsOf(
  { service, owner }: OwnerVisit,
  accountId: number,
): Promise<
  | {
      readonly options: readonly (readonly [string, string])[];
      readonly target: string;
      readonly unusable: readonly UnusableCalendar[];
    }
  | { readonly problems: readonly string[] }
> {
  try {
    const { calendars, target, unusable } = await service.accounts.calendarsOf(owner.ownerId, accountId);
    const writable = calendars.filter(({ writable }) => writable);
    return {
      options: writable.map(({ calendar, name }) => [calendar, visibleText(name)]),
      target: target?.calendar ?? '',
      unusable,
    };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { problems: [`The calendars could not be listed: ${error.message}.`] };
  }
}

export async function chooseCalendar(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, options, param, fields } = visit;
  const { ownerId } = owner;
  const account = await accountNamed(service, owner, param);
  const { withCalendar } = options.connect ?? {};
  if (account === undefined || withCalendar === undefined) return notFoundPage();
  const { accountId } = account;
  try {
    const settings = withCalendar(
      await service.accounts.settings(ownerId, accountId),
      fields.get('calendar') ?? '',
    );
    await service.accounts.changeSettings({ ownerId, accountId, settings });
  } catch (error) {
    return calendarPage(visit, connectionProblems(error));
  }
  return redirect(`${(await nextStep(visit)) === 'key' ? '/setup' : '/accounts'}?notice=calendar_chosen`);
}

/** Where the owner goes to choose a calendar of a new account. Undefined: there is nothing to choose. */
export async function calendarChoicePath(visit: OwnerVisit, accountId: number): Promise<string | undefined> {
  if (visit.options.connect?.withCalendar === undefined) return undefined;
  const found = await calendarsOf(visit, accountId);
  return 'problems' in found || found.options.length < 2
    ? undefined
    : `/accounts/${accountId}/calendar?notice=account_connected`;
}
