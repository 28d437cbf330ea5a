import { accountsPage, activateAccount, removeAccount, removeAccountPage } from './pages/accounts.tsx';
import { activityPage } from './pages/activity.tsx';
import { approvalPage, approve, reject } from './pages/approval.tsx';
import { approvalsPage } from './pages/approvals.tsx';
import { askPassword, connectAccount, findServers, showServers } from './pages/connect-account.tsx';
import { createKey, integrationsPage, revokeKey, rotateKey, setModes } from './pages/integrations.tsx';
import { trackerPage, trackersPage } from './pages/trackers.tsx';
import { showSignIn, signIn, signOut } from './session.ts';
import { type OwnerVisit, type Reply, redirect, type Visit } from './visit.ts';

interface Acts<V> {
  readonly GET?: (visit: V) => Promise<Reply>;
  readonly POST?: (visit: V) => Promise<Reply>;
}

type Route =
  /** For anybody: signing in. */
  | { readonly who: 'anyone'; readonly pattern: RegExp; readonly acts: Acts<Visit> }
  | { readonly who: 'owner'; readonly pattern: RegExp; readonly acts: Acts<OwnerVisit> };

const APPROVAL = '(apr_[A-Za-z0-9_-]{1,40})';
const ACCOUNT = '(\\d{1,9})';
const TRACKER = '(\\d{1,10})';
const KEY = '([A-Za-z0-9_-]{1,64})';

const ROUTES: readonly Route[] = [
  { who: 'anyone', pattern: /^\/sign-in$/, acts: { GET: showSignIn, POST: signIn } },
  ownerRoute('/sign-out', { POST: signOut }),
  ownerRoute('/', { GET: async () => redirect('/approvals') }),
  ownerRoute('/approvals', { GET: approvalsPage }),
  ownerRoute(`/approvals/${APPROVAL}`, { GET: approvalPage }),
  ownerRoute(`/approvals/${APPROVAL}/approve`, { POST: approve }),
  ownerRoute(`/approvals/${APPROVAL}/reject`, { POST: reject }),
  ownerRoute('/accounts', { GET: (visit) => accountsPage(visit), POST: connectAccount }),
  ownerRoute('/accounts/find', { POST: findServers }),
  ownerRoute('/accounts/servers', { POST: showServers }),
  ownerRoute('/accounts/password', { POST: askPassword }),
  ownerRoute(`/accounts/${ACCOUNT}/activate`, { POST: activateAccount }),
  ownerRoute(`/accounts/${ACCOUNT}/remove`, { GET: removeAccountPage, POST: removeAccount }),
  ownerRoute('/integrations', { GET: integrationsPage, POST: createKey }),
  ownerRoute(`/integrations/${KEY}/rotate`, { POST: rotateKey }),
  ownerRoute(`/integrations/${KEY}/revoke`, { POST: revokeKey }),
  ownerRoute(`/integrations/${KEY}/modes`, { POST: setModes }),
  ownerRoute('/trackers', { GET: trackersPage }),
  ownerRoute(`/trackers/${TRACKER}`, { GET: trackerPage }),
  ownerRoute('/activity', { GET: activityPage }),
];

export type Found =
  | { readonly kind: 'anyone'; readonly act: (visit: Visit) => Promise<Reply>; readonly param: string }
  | { readonly kind: 'owner'; readonly act: (visit: OwnerVisit) => Promise<Reply>; readonly param: string }
  | { readonly kind: 'not_found' }
  /** `allow`: the value of the Allow header. */
  | { readonly kind: 'wrong_method'; readonly allow: string };

export function findRoute(method: string, path: string): Found {
  const known = method === 'HEAD' ? 'GET' : method;
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match === null) continue;
    if (known !== 'GET' && known !== 'POST') return { kind: 'wrong_method', allow: allowed(route) };
    const param = match[1] ?? '';
    if (route.who === 'anyone') {
      const act = route.acts[known];
      return act === undefined
        ? { kind: 'wrong_method', allow: allowed(route) }
        : { kind: 'anyone', act, param };
    }
    const act = route.acts[known];
    return act === undefined
      ? { kind: 'wrong_method', allow: allowed(route) }
      : { kind: 'owner', act, param };
  }
  return { kind: 'not_found' };
}

function allowed({ acts }: Route): string {
  return [...(acts.GET ? ['GET', 'HEAD'] : []), ...(acts.POST ? ['POST'] : [])].join(', ');
}

function ownerRoute(path: string, acts: Acts<OwnerVisit>): Route {
  return { who: 'owner', pattern: new RegExp(`^${path}$`), acts };
}
