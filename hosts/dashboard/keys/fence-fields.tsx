import * as z from 'zod';
import { FENCE_ENTRIES_MAX, type Fences, fenceEntry } from '../../../core/keys/fences.ts';
import type { Account } from '../../../core/ports/account.ts';
import { endOfDay, isoIn } from '../../../core/time/time-zone.ts';
import { Choice, Field } from '../forms/forms.tsx';
import { Quoted } from '../third-party-text.tsx';

/** The fields of a key's fences, in the forms that create and change it. */

const SOME = 'some';

/** @param of distinguishes the forms of a page: the key's id, for example */
export function FenceFields(props: {
  of: string;
  fences: Fences;
  accounts: readonly Account[];
  zone: string;
}) {
  const { of, fences, accounts, zone } = props;
  return (
    <>
      <AccountFields of={of} chosen={fences.accounts} accounts={accounts} />
      <Field
        label="Last day"
        name="fence_until"
        type="date"
        value={fences.until === null ? '' : lastDay(fences.until, zone)}
      />
      <label>
        May write to
        <textarea
          name="fence_recipients"
          rows={3}
          spellcheck={false}
          autocomplete="off"
          placeholder="everybody; or an address or a domain on each line"
        >
          {fences.recipients?.join('\n') ?? ''}
        </textarea>
      </label>
      <p class="quiet">A domain does not include its subdomains. Attendees of events count too.</p>
    </>
  );
}

/** @param props  `chosen`: null: all */
export function AccountFields(props: {
  of: string;
  chosen: Fences['accounts'];
  accounts: readonly Account[];
}) {
  const { of, chosen, accounts } = props;
  return (
    <>
      <Choice
        id={`${of}-accounts`}
        label="Accounts"
        name="fence_accounts"
        value={chosen === null ? '' : SOME}
        options={[
          ['', 'all, also later ones'],
          [SOME, 'only those ticked below'],
        ]}
      />
      <fieldset>
        <legend>Ticked accounts</legend>
        {accounts.map(({ accountId, email }) => (
          <label>
            <input
              type="checkbox"
              name="fence_account"
              value={accountId}
              checked={chosen?.includes(accountId) ?? false}
            />
            <Quoted text={email} />
          </label>
        ))}
      </fieldset>
    </>
  );
}

const DAY = z.union([z.literal(''), z.iso.date()]);

/** Reads the fields. A form without them has no fences. */
export function readFences(
  fields: URLSearchParams,
  zone: string,
): { readonly fences: Fences } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const accounts = fields.get('fence_accounts') === SOME ? fields.getAll('fence_account').map(Number) : null;
  if (accounts?.length === 0) problems.push('Accounts: tick at least one.');
  const lines = (fields.get('fence_recipients') ?? '').split(/\r?\n/).map((line) => line.trim());
  const entered = lines.filter((line) => line !== '');
  const recipients = entered.flatMap((line) => fenceEntry(line) ?? []);
  if (recipients.length < entered.length) {
    problems.push('May write to: enter one address or one domain on each line.');
  }
  if (entered.length > FENCE_ENTRIES_MAX) problems.push(`May write to: at most ${FENCE_ENTRIES_MAX} lines.`);
  const day = DAY.safeParse(fields.get('fence_until') ?? '');
  if (!day.success) problems.push('Last day: enter a date.');
  if (problems.length > 0) return { problems };
  return {
    fences: {
      accounts,
      recipients: recipients.length === 0 ? null : recipients,
      // The first instant of the next day.
      until: day.data ? new Date(endOfDay(day.data, zone).getTime() + 1000) : null,
    },
  };
}

/** The fences in words, part by part. Empty: there are none. */
export function fenceTexts(fences: Fences, accounts: readonly Account[], zone: string): string[] {
  const emailOf = (id: number) =>
    accounts.find(({ accountId }) => accountId === id)?.email ?? `account ${id}, which is removed`;
  return [
    ...(fences.accounts === null ? [] : [`only ${fences.accounts.map(emailOf).join(', ')}`]),
    ...(fences.recipients === null ? [] : [`writes only to ${fences.recipients.join(', ')}`]),
    ...(fences.until === null ? [] : [`last day ${lastDay(fences.until, zone)}`]),
  ];
}

function lastDay(until: Date, zone: string): string {
  return isoIn(new Date(until.getTime() - 1), zone).slice(0, 10);
}
