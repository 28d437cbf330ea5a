import { type Approval, startsBefore } from '../../../core/approvals/approval.ts';
import { meaningForOwner } from '../labels.ts';
import { ClockTime } from '../when.tsx';

/** What the state of a request means, and until when one that waits for a server is tried again. */
export function Meaning({ approval, zone }: { approval: Approval; zone: string }) {
  const meaning = meaningForOwner(approval);
  if (approval.state !== 'approved' || approval.error === null) return <>{meaning}</>;
  return (
    <>
      {meaning} That is until <ClockTime at={startsBefore(approval.authorization.at)} zone={zone} />.
    </>
  );
}
