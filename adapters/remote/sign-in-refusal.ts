import { MailError } from '../../core/ports/mail.ts';
import { oneLine } from '../../core/text/one-line.ts';
import { shortened } from '../../core/text/shortened.ts';

/** More than any server says in one reply. */
const REPLY_CHARS = 4000;
const SAID_CHARS = 300;

/** What providers mean by refusals that have nothing to do with a wrong password, by the codes and words that they use. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /\b5\.7\.139\b(?!.*credentials were incorrect)|basic authentication is disabled|SmtpClientAuthentication is disabled/i,
    'does not allow programs to sign in this way: an administrator of the mailbox must allow it',
  ],
  [
    /application-specific password|\b5\.7\.9\b|app password (?:is )?required/i,
    'wants an app password instead of the usual one: create it in the security settings of the account',
  ],
  [/\[WEBALERT\b|\b5\.7\.14\b/i, 'wants you to sign in on its web site first'],
  [/\[CONTACTADMIN\]/i, 'asks you to contact its administrator'],
  [/\[EXPIRED\]/i, 'says that the password has expired'],
];

/** What a refusal means if the server gives no other reason. */
const USUAL = {
  pass: { meaning: 'does not accept the user name and password', trouble: 'password_refused' },
  token: { meaning: 'does not accept the sign-in at the provider', trouble: 'sign_in_again' },
} as const;

/**
 * The failure of a sign-in that a server refused.
 * @param reply  what the server wrote
 */
export function signInRefusal(
  server: 'IMAP' | 'SMTP',
  proof: keyof typeof USUAL,
  reply: string,
  cause: unknown,
): MailError {
  const line = oneLine(reply.slice(0, REPLY_CHARS)).replace(/\p{C}/gu, '\u{FFFD}');
  const usual = USUAL[proof];
  const [, meaning = usual.meaning] = MEANINGS.find(([pattern]) => pattern.test(line)) ?? [];
  const said = line === '' ? undefined : shortened(line, SAID_CHARS);
  return new MailError('auth', `the ${server} server ${meaning}`, { cause, trouble: usual.trouble, said });
}
