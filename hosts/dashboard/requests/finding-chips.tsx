import type { NamedFinding } from '../../../core/safety/finding.ts';
import type { Hold } from '../../../core/safety/holds.ts';
import { SEVERITY_TITLES } from './findings.tsx';

/** Short names of findings. Where one is missing, the name of its rule is used. */
const NAMES: Partial<Record<Hold, string>> = {
  account_or_card_number: 'account or card number',
  answers_automatic_mail: 'answers a program',
  answers_not_all: 'not to everybody',
  calendar_access_unknown: 'calendar not checked',
  differing_account: 'different account number',
  differing_amount: 'different amount',
  differing_time: 'different time',
  domains_not_compared: 'domains not compared',
  first_time_recipient: 'new recipient',
  from_stranger: 'comes from a stranger',
  hidden_host: 'hidden host',
  into_sent_or_drafts: 'into Sent or Drafts',
  invisible_characters: 'invisible characters',
  likely_repeat: 'possible repeat',
  many_outsiders: 'many outsiders',
  misleading_link: 'misleading link',
  near_copy_domain: 'look-alike domain',
  own_markers: 'looks like Countersign',
  passes_secret: 'gives away a code',
  reads_not_compared: 'not fully compared',
  recipient_lookup_failed: 'recipients not checked',
  removes_notice: 'removes a notice',
  reply_elsewhere: 'goes elsewhere',
  sender_not_proven: 'sender not proven',
  secret: 'password or code',
  send_limit: 'many messages',
  server_may_write: 'server may write',
  several_messages: 'several messages',
  shared_calendar: 'shared calendar',
  text_not_checked: 'text not checked',
};
const NAME_OF: ReadonlyMap<string, string> = new Map(Object.entries(NAMES));

/** The findings about a request in a list: name and severity. Renders nothing if there are none. */
export function FindingChips({ findings }: { findings: readonly NamedFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="chips" aria-label="Findings">
      {findings.map(({ rule, severity }) => (
        <li data-severity={severity}>
          <b>{SEVERITY_TITLES[severity]}:</b> {NAME_OF.get(rule) ?? rule.replaceAll('_', ' ')}
        </li>
      ))}
    </ul>
  );
}
