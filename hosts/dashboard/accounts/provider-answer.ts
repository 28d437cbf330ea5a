import { ownAddress } from '../../http/host-name.ts';
import type { LeaveReply, Visit } from '../visit.ts';

/** Where a provider of mailboxes sends the browser of an owner who signed in there. A path on the dashboard. */
export function answerPath(providerId: string): string {
  return `/accounts/sign-in/${providerId}/callback`;
}

/**
 * A provider sends the browser to the public address. On this machine the owner usually is at the dashboard's own host
 * name, which has the session: the answer goes on to there. Undefined for any other request.
 */
export function answerAtOwnAddress({
  service,
  head,
  origin,
  path,
  param,
  query,
}: Visit): LeaveReply | undefined {
  const own = ownAddress(service.dashboardUrl);
  if (own === undefined || own === origin || head.method !== 'GET' || path !== answerPath(param)) {
    return undefined;
  }
  return { kind: 'leave', to: `${own}${path}?${query.toString()}` };
}
