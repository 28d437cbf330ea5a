/** What was just done, told on the page that follows. The address names it; its words are only these. */
const NOTICES = new Map([
  ['account_connected', 'The account is connected.'],
  ['account_active', 'The active account is set.'],
  ['account_removed', 'The account is removed.'],
  ['folders_saved', 'The folders are saved.'],
  ['key_revoked', 'The key is revoked. What waited for it is cancelled.'],
  ['modes_saved', 'The modes are saved.'],
  ['session_ended', 'The session is ended.'],
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
