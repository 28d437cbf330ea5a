import { REJECTION_REASONS } from '../../core/approvals/approval.ts';
import { calendarPage, chooseCalendar } from './accounts/account-calendar.tsx';
import { accountFoldersPage, chooseFolders } from './accounts/account-folders.tsx';
import { accountIndexPage, buildIndex, turnIndexOff } from './accounts/account-index.tsx';
import { accountSendersPage, confirmSenders, demandForSenders } from './accounts/account-senders.tsx';
import { accountsPage, activateAccount, removeAccount, removeAccountPage } from './accounts/accounts.tsx';
import {
  askPassword,
  changeServers,
  connectAccount,
  findServers,
  showServers,
} from './accounts/connect-account.tsx';
import { editAccount, editAccountPage } from './accounts/edit-account.tsx';
import { checkAccount, passwordUpdatePage, updatePassword } from './accounts/mend-account.tsx';
import { beginProviderSignIn, beginSignInAgain, finishProviderSignIn } from './accounts/provider-sign-in.tsx';
import { activityPage } from './activity/activity.tsx';
import { activityCsv, activityJson } from './activity/activity-export.ts';
import { deliveriesPage, redeliver } from './events/webhook-deliveries.tsx';
import {
  addEndpoint,
  enableEndpoint,
  removeEndpoint,
  removeEndpointPage,
  rotateSecret,
  sendTestEvent,
  webhooksPage,
} from './events/webhooks.tsx';
import { firstCallPage } from './keys/first-call.tsx';
import {
  demandForResumeKey,
  demandForSetFences,
  demandForSetModes,
  integrationsPage,
  pauseKey,
  resumeKey,
  setFences,
  setModes,
} from './keys/integrations.tsx';
import { createKey } from './keys/new-key.tsx';
import { revokeKey, revokeKeyPage, withdrawSignIn } from './keys/revoke-key.tsx';
import { rotateKey, rotateKeyPage } from './keys/rotate-key.tsx';
import { allowSignIn, denySignIn, signInRequestPage } from './keys/sign-in-request.tsx';
import {
  addNoticeMail,
  addNoticeWebhook,
  addNtfy,
  addPush,
  confirmChannel,
  noticesPage,
  removeChannel,
  saveNoticeSettings,
  sendTestNotice,
} from './notices/notices.tsx';
import { createFirstOwner, showFirstOwner } from './owners/first-owner.tsx';
import { changePassword, passwordPage } from './owners/password.tsx';
import { demandForApprove, demandForChange, demandForTogether } from './owners/prove-owner.ts';
import { removeOwner, removeOwnerPage } from './owners/remove-owner.tsx';
import {
  finishSignIn,
  showSecondStep,
  showSignIn,
  signIn,
  signInWithPasskey,
  signOut,
} from './owners/session.ts';
import { endOtherSessions, endSession, settingsPage } from './owners/settings.tsx';
import { SETTINGS_FORMS } from './owners/settings-routes.ts';
import { setupPage } from './owners/setup.tsx';
import { approvalPage, approve, approveChanged, reject, tooEarly } from './requests/approval.tsx';
import { APPROVAL_ID } from './requests/approval-id.ts';
import { approvalsPage } from './requests/approvals.tsx';
import { messageBytes } from './requests/message-bytes.ts';
import { approveTogether, rejectTogether, togetherPage, togetherTooEarly } from './requests/together.tsx';
import { tryAgain } from './requests/try-again.tsx';
import {
  addTrackerNote,
  createTracker,
  editTracker,
  setTrackerStatus,
  unlinkFromTracker,
} from './trackers/change-tracker.ts';
import { linkToTracker, linkTrackerPage } from './trackers/link-tracker.tsx';
import { trackerPage, trackersPage } from './trackers/trackers.tsx';
import { type OwnerForm, type OwnerVisit, type Reply, redirect, type Visit } from './visit.ts';

type Act<V> = (visit: V) => Promise<Reply>;

/** `anyone` may sign in; all other routes need a signed-in owner. */
type Route = { readonly pattern: RegExp } & (
  | { readonly who: 'anyone'; readonly GET: Act<Visit>; readonly POST: Act<Visit> }
  | { readonly who: 'owner'; readonly GET?: Act<OwnerVisit>; readonly POST?: OwnerForm }
);

const APPROVAL = `(${APPROVAL_ID})`;
const TOGETHER = '([A-Za-z0-9_-]{16})';
const ACCOUNT = '(\\d{1,9})';
const PROVIDER = '([a-z0-9-]{1,40})';
const TRACKER = '(\\d{1,10})';
const KEY = '([A-Za-z0-9_-]{1,64})';
const REQUEST = '([A-Za-z0-9_-]{40,8000})';
const ENDPOINT = '(wh_\\d{1,9})';
const CHANNEL = '(ntc_[A-Za-z0-9_-]{1,40})';
const SESSION = '(ses_[A-Za-z0-9_-]{1,40})';

const SETUP = '([A-Za-z0-9_-]{43})';

const ROUTES: readonly Route[] = [
  { who: 'anyone', pattern: /^\/sign-in$/, GET: showSignIn, POST: signIn },
  { who: 'anyone', pattern: /^\/sign-in\/second-step$/, GET: showSecondStep, POST: finishSignIn },
  // The link of the first run.
  { who: 'anyone', pattern: new RegExp(`^/setup/${SETUP}$`), GET: showFirstOwner, POST: createFirstOwner },
  owner('/setup', { GET: setupPage }),
  { who: 'anyone', pattern: /^\/sign-in\/passkey$/, GET: showSecondStep, POST: signInWithPasskey },
  owner('/sign-out', { POST: { does: 'Sign out', demand: 'change', act: signOut } }),
  owner('/', { GET: async () => redirect('/approvals') }),
  owner('/approvals', { GET: approvalsPage }),
  owner(`/approvals/together/${TOGETHER}`, { GET: togetherPage }),
  owner(`/approvals/together/${TOGETHER}/approve`, {
    POST: {
      does: 'Approve the selected requests',
      demand: demandForTogether,
      act: approveTogether,
      tooEarly: togetherTooEarly,
    },
  }),
  owner(`/approvals/together/${TOGETHER}/reject`, {
    POST: {
      does: 'Reject the selected requests',
      demand: 'change',
      act: rejectTogether,
      tooEarly: togetherTooEarly,
    },
  }),
  owner(`/approvals/${APPROVAL}`, { GET: approvalPage }),
  owner(`/approvals/${APPROVAL}/message\\.eml`, { GET: messageBytes }),
  owner(`/approvals/${APPROVAL}/approve`, {
    POST: { does: 'Approve', demand: demandForApprove, act: approve, tooEarly },
  }),
  owner(`/approvals/${APPROVAL}/again`, { POST: { does: 'Try again', demand: 'change', act: tryAgain } }),
  owner(`/approvals/${APPROVAL}/change`, {
    POST: { does: 'Approve with changes', demand: demandForChange, act: approveChanged, tooEarly },
  }),
  owner(`/approvals/${APPROVAL}/reject`, {
    POST: { does: 'Reject', demand: 'change', act: reject, tooEarly },
  }),
  ...REJECTION_REASONS.map((reason) =>
    owner(`/approvals/${APPROVAL}/reject/${reason}`, {
      POST: { does: 'Reject', demand: 'change', act: reject, tooEarly },
    }),
  ),
  owner('/accounts', {
    GET: (visit) => accountsPage(visit),
    POST: { does: 'Connect account', demand: 'change', act: connectAccount },
  }),
  // Contacts servers. The next one only shows what was entered so far.
  owner('/accounts/find', { POST: { does: 'Find the servers', demand: 'change', act: findServers } }),
  owner('/accounts/servers', { POST: { does: 'Enter the servers', demand: 'view', act: showServers } }),
  owner('/accounts/password', { POST: { does: 'Use these servers', demand: 'change', act: askPassword } }),
  owner(`/accounts/${ACCOUNT}/check`, {
    POST: { does: 'Check the account', demand: 'change', act: checkAccount },
  }),
  owner(`/accounts/${ACCOUNT}/password`, {
    GET: (visit) => passwordUpdatePage(visit),
    POST: { does: 'Update the password', demand: 'change', act: updatePassword },
  }),
  owner(`/accounts/${ACCOUNT}/servers`, { GET: changeServers }),
  owner(`/accounts/${ACCOUNT}/edit`, {
    GET: (visit) => editAccountPage(visit),
    POST: { does: 'Save name and signature', demand: 'change', act: editAccount },
  }),
  owner(`/accounts/sign-in/${PROVIDER}`, {
    POST: { does: 'Sign in at the provider', demand: 'change', act: beginProviderSignIn },
  }),
  owner(`/accounts/sign-in/${PROVIDER}/callback`, { GET: finishProviderSignIn }),
  owner(`/accounts/${ACCOUNT}/sign-in`, {
    POST: { does: 'Sign in again', demand: 'change', act: beginSignInAgain },
  }),
  owner(`/accounts/${ACCOUNT}/activate`, {
    POST: { does: 'Set the account active', demand: 'change', act: activateAccount },
  }),
  owner(`/accounts/${ACCOUNT}/folders`, {
    GET: (visit) => accountFoldersPage(visit),
    POST: { does: 'Save the folders', demand: 'grant', act: chooseFolders },
  }),
  owner(`/accounts/${ACCOUNT}/senders`, {
    GET: (visit) => accountSendersPage(visit),
    POST: { does: 'Save whose word counts', demand: demandForSenders, act: confirmSenders },
  }),
  owner(`/accounts/${ACCOUNT}/index`, {
    GET: (visit) => accountIndexPage(visit),
    POST: { does: 'Build the index', demand: 'change', act: buildIndex },
  }),
  owner(`/accounts/${ACCOUNT}/index/off`, {
    POST: { does: 'Turn the index off', demand: 'change', act: turnIndexOff },
  }),
  owner(`/accounts/${ACCOUNT}/calendar`, {
    GET: (visit) => calendarPage(visit),
    POST: { does: 'Save the calendar', demand: 'change', act: chooseCalendar },
  }),
  owner(`/accounts/${ACCOUNT}/remove`, {
    GET: removeAccountPage,
    POST: { does: 'Remove the account', demand: 'change', act: removeAccount },
  }),
  owner('/integrations', {
    GET: (visit) => integrationsPage(visit),
    POST: { does: 'Create key', demand: 'grant', act: createKey },
  }),
  owner(`/integrations/${KEY}/first-call`, { GET: firstCallPage }),
  owner(`/integrations/${KEY}/rotate`, {
    GET: rotateKeyPage,
    POST: { does: 'Rotate the key', demand: 'grant', act: rotateKey },
  }),
  owner(`/integrations/${KEY}/revoke`, {
    GET: revokeKeyPage,
    POST: { does: 'Revoke the key', demand: 'change', act: revokeKey },
  }),
  owner(`/integrations/${KEY}/modes`, {
    POST: { does: 'Save the modes', demand: demandForSetModes, act: setModes },
  }),
  owner(`/integrations/${KEY}/pause`, { POST: { does: 'Pause the key', demand: 'change', act: pauseKey } }),
  owner(`/integrations/${KEY}/resume`, {
    POST: { does: 'Resume the key', demand: demandForResumeKey, act: resumeKey },
  }),
  owner(`/integrations/${KEY}/fences`, {
    POST: { does: 'Save the fences', demand: demandForSetFences, act: setFences },
  }),
  owner(`/integrations/${KEY}/withdraw`, {
    GET: revokeKeyPage,
    POST: { does: 'Withdraw the sign-in', demand: 'change', act: withdrawSignIn },
  }),
  owner(`/integrations/sign-in/${REQUEST}`, { GET: (visit) => signInRequestPage(visit) }),
  owner(`/integrations/sign-in/${REQUEST}/allow`, {
    POST: { does: 'Allow the sign-in', demand: 'grant', act: allowSignIn },
  }),
  // Tells the program the answer, and changes nothing here.
  owner(`/integrations/sign-in/${REQUEST}/deny`, {
    POST: { does: 'Deny the sign-in', demand: 'view', act: denySignIn },
  }),
  owner('/integrations/webhooks', {
    GET: webhooksPage,
    POST: { does: 'Add endpoint', demand: 'grant', act: addEndpoint },
  }),
  owner(`/integrations/webhooks/${ENDPOINT}`, { GET: deliveriesPage }),
  owner(`/integrations/webhooks/${ENDPOINT}/test`, {
    POST: { does: 'Send test event', demand: 'change', act: sendTestEvent },
  }),
  owner(`/integrations/webhooks/${ENDPOINT}/rotate`, {
    POST: { does: 'Rotate the secret', demand: 'grant', act: rotateSecret },
  }),
  owner(`/integrations/webhooks/${ENDPOINT}/enable`, {
    POST: { does: 'Enable the endpoint', demand: 'change', act: enableEndpoint },
  }),
  owner(`/integrations/webhooks/${ENDPOINT}/remove`, {
    GET: removeEndpointPage,
    POST: { does: 'Remove the endpoint', demand: 'change', act: removeEndpoint },
  }),
  owner(`/integrations/webhooks/${ENDPOINT}/redeliver`, {
    POST: { does: 'Redeliver', demand: 'change', act: redeliver },
  }),
  owner('/trackers', {
    GET: (visit) => trackersPage(visit),
    POST: { does: 'Create tracker', demand: 'change', act: createTracker },
  }),
  owner(`/trackers/${TRACKER}`, { GET: (visit) => trackerPage(visit) }),
  owner(`/trackers/${TRACKER}/edit`, {
    POST: { does: 'Save the tracker', demand: 'change', act: editTracker },
  }),
  owner(`/trackers/${TRACKER}/status`, {
    POST: { does: 'Change the status of the tracker', demand: 'change', act: setTrackerStatus },
  }),
  owner(`/trackers/${TRACKER}/notes`, {
    POST: { does: 'Add the note', demand: 'change', act: addTrackerNote },
  }),
  owner(`/trackers/${TRACKER}/link`, {
    GET: linkTrackerPage,
    POST: { does: 'Link to the tracker', demand: 'change', act: linkToTracker },
  }),
  owner(`/trackers/${TRACKER}/unlink`, {
    POST: { does: 'Remove the link', demand: 'change', act: unlinkFromTracker },
  }),
  owner('/activity', { GET: activityPage }),
  owner('/activity/export\\.csv', { GET: activityCsv }),
  owner('/activity/export\\.json', { GET: activityJson }),
  owner('/settings', { GET: settingsPage }),
  owner(`/settings/sessions/${SESSION}/end`, {
    POST: { does: 'End the session', demand: 'change', act: endSession },
  }),
  owner('/settings/sessions/end-others', {
    POST: { does: 'End all other sessions', demand: 'change', act: endOtherSessions },
  }),
  owner('/settings/password', {
    GET: passwordPage,
    POST: { does: 'Change the password', demand: 'own', act: changePassword },
  }),
  owner('/settings/remove', {
    GET: removeOwnerPage,
    POST: { does: 'Remove everything', demand: 'own', act: removeOwner },
  }),
  ...SETTINGS_FORMS.map(([path, form]) => owner(path, { POST: form })),
  owner('/settings/notices', {
    GET: noticesPage,
    POST: { does: 'Save the times of notices', demand: 'change', act: saveNoticeSettings },
  }),
  owner('/settings/notices/push', { POST: { does: 'Turn on notices', demand: 'grant', act: addPush } }),
  owner('/settings/notices/ntfy', { POST: { does: 'Add ntfy topic', demand: 'grant', act: addNtfy } }),
  owner('/settings/notices/webhook', {
    POST: { does: 'Add webhook', demand: 'grant', act: addNoticeWebhook },
  }),
  owner('/settings/notices/mail', { POST: { does: 'Add address', demand: 'grant', act: addNoticeMail } }),
  owner(`/settings/notices/${CHANNEL}/confirm`, {
    POST: { does: 'Confirm the address', demand: 'change', act: confirmChannel },
  }),
  owner(`/settings/notices/${CHANNEL}/test`, {
    POST: { does: 'Send test notice', demand: 'change', act: sendTestNotice },
  }),
  owner(`/settings/notices/${CHANNEL}/remove`, {
    POST: { does: 'Remove the channel', demand: 'change', act: removeChannel },
  }),
];

export type Found =
  | { readonly kind: 'anyone'; readonly act: Act<Visit>; readonly param: string }
  | { readonly kind: 'page'; readonly act: Act<OwnerVisit>; readonly param: string }
  | { readonly kind: 'form'; readonly form: OwnerForm; readonly param: string }
  | { readonly kind: 'not_found' }
  /** `allow`: the value of the Allow header. */
  | { readonly kind: 'wrong_method'; readonly allow: string };

export function findRoute(method: string, path: string): Found {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match === null) continue;
    return foundIn(route, method === 'HEAD' ? 'GET' : method, match[1] ?? '');
  }
  return { kind: 'not_found' };
}

function foundIn(route: Route, method: string, param: string): Found {
  if (route.who === 'anyone') {
    if (method === 'GET' || method === 'POST') return { kind: 'anyone', act: route[method], param };
  } else if (method === 'GET' && route.GET !== undefined) {
    return { kind: 'page', act: route.GET, param };
  } else if (method === 'POST' && route.POST !== undefined) {
    return { kind: 'form', form: route.POST, param };
  }
  const allow = [...(route.GET ? ['GET', 'HEAD'] : []), ...(route.POST ? ['POST'] : [])].join(', ');
  return { kind: 'wrong_method', allow };
}

/** Returns the page that shows the form of this path: the longest part of the path that is a page. */
export function pageBehind(path: string): string {
  for (let part = path; part !== ''; part = part.slice(0, part.lastIndexOf('/'))) {
    if (findRoute('GET', part).kind === 'page') return part;
  }
  return '/approvals';
}

/** The route of a request with a placeholder: `GET /approvals/{id}`. Undefined if there is none. */
export function routePattern(method: string, path: string): string | undefined {
  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  if (route === undefined || !['GET', 'HEAD', 'POST'].includes(method)) return undefined;
  return `${method} ${route.pattern.source.replace(/\([^)]*\)/, '{id}').replaceAll(/[\^$\\]/g, '')}`;
}

function owner(path: string, acts: { GET?: Act<OwnerVisit>; POST?: OwnerForm }): Route {
  return { who: 'owner', pattern: new RegExp(`^${path}$`), ...acts };
}
