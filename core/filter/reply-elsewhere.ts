import { domainOf } from '../safety/domain-of.ts';
import type { Finding } from '../safety/finding.ts';
import type { Answered } from '../safety/safety-facts.ts';
import { areOneSite } from '../safety/site.ts';

/**
 * Finds recipients of a reply who are not its sender: a Reply-To sends it elsewhere. Red if it takes a conversation
 * with somebody the owner writes to away to a new address on a different domain. A mailing list does not count, because
 * its address is among the recipients of the message.
 */
export function repliesElsewhere(
  to: readonly string[],
  newAddresses: ReadonlySet<string>,
  { senders, others, isSenderKnown }: Answered,
): Finding[] {
  const [sender] = senders;
  if (sender === undefined) return [];
  return to
    .filter((address) => !senders.includes(address))
    .map((address) => {
      const isNear = senders.some((one) => areOneSite(domainOf(one), domainOf(address)));
      const isNew = newAddresses.has(address) && !others.has(address);
      const severity = isNear || !isNew ? 'info' : isSenderKnown ? 'red' : 'amber';
      return { rule: 'reply_elsewhere', severity, marks: [], address, sender };
    });
}
