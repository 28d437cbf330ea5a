/** What was just done, shown on the next page. The URL contains a code; only these texts can appear. */
const NOTICES = new Map([
  ['account_connected', 'The account is connected.'],
  [
    'calendar_later',
    'The mailbox is connected. Its calendar is not yet: under Accounts you see why, and can connect the calendar later with “Change servers” or “Check now”.',
  ],
  ['signed_in_again', 'You are signed in again. What waited goes on.'],
  ['account_active', 'The active account is set.'],
  ['account_saved', 'It is saved, and applies to new requests.'],
  ['calendar_chosen', 'The calendar for new events is saved.'],
  ['account_checked', 'The servers were checked just now.'],
  ['servers_changed', 'The servers are changed. What waits for the account goes on by itself.'],
  ['password_updated', 'The password is updated. What waits for the account goes on by itself.'],
  ['account_removed', 'The account is removed.'],
  ['folders_saved', 'The folders are saved.'],
  ['senders_confirmed', 'Senders that your mail server has checked count as proven.'],
  ['senders_unproven', 'No sender counts as proven any more.'],
  ['index_off', 'The index is erased. From now on, searches ask the mail server.'],
  ['key_revoked', 'The key is revoked. Its waiting requests are cancelled.'],
  ['key_paused', 'The key is paused. What was approved and had not started is stopped.'],
  ['key_resumed', 'The key is resumed.'],
  ['fences_saved', 'The fences are saved. They also apply to requests that wait.'],
  ['sign_in_withdrawn', 'The sign-in is withdrawn. Its waiting requests are cancelled.'],
  ['modes_saved', 'The modes are saved.'],
  ['endpoint_enabled', 'The endpoint is enabled. It gets the events that happen from now on.'],
  ['endpoint_removed', 'The endpoint is removed.'],
  ['test_sent', 'The test event is on its way. Its delivery is listed below.'],
  ['redelivered', 'The event is sent again.'],
  ['notices_saved', 'The times of notices are saved.'],
  ['channel_added', 'The channel is added.'],
  ['code_sent', 'A message with a code is on its way. Enter the code below.'],
  ['channel_confirmed', 'The address is confirmed.'],
  ['channel_removed', 'The channel is removed.'],
  ['test_notice_sent', 'The test notice is sent.'],
  ['time_zone_saved', 'The time zone is saved.'],
  ['date_language_saved', 'The language of dates is saved.'],
  ['proof_for_saved', 'It is saved, and counts from now on.'],
  ['plans_kept_saved', 'It is saved. Content that is older is erased within seconds.'],
  ['password_changed', 'The password is changed, and all sessions have ended. Sign in with the new one.'],
  ['owner_removed', 'Everything is removed.'],
  ['app_added', 'The authenticator app is added. The one before no longer works.'],
  ['app_removed', 'The authenticator app is removed. Your password alone is enough to sign in.'],
  ['passkey_added', 'The passkey is added.'],
  ['passkey_renamed', 'The passkey has its new name.'],
  ['passkey_removed', 'The passkey is removed. Remove it from the device too, so it is not offered there.'],
  ['passkey_refused', 'The passkey was not added. Try again.'],
  ['passkey_limit', 'You have ten passkeys. Remove one first.'],
  ['set_up_again', 'The app was not added. Set it up again.'],
  ['session_ended', 'The session is ended.'],
  ['tracker_created', 'The tracker is created.'],
  ['tracker_saved', 'The tracker is saved.'],
  ['linked', 'It is linked.'],
  ['link_removed', 'It is removed from the tracker.'],
  ['link_not_there', 'It was removed before. Nothing was done.'],
  ['sessions_ended', 'All other sessions are ended.'],
]);

export function Notice({ code }: { code: string | null }) {
  const text = NOTICES.get(code ?? '');
  return text === undefined ? null : (
    <p class="note" role="status">
      {text}
    </p>
  );
}
