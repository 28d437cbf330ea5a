import type { ImapFlow } from 'imapflow';
import type { MailFolder } from '../../core/folders/folder.ts';
import { SOURCE_BYTES } from '../../core/mail/message-source.ts';
import { folderName } from '../../core/text/shortened.ts';
import { sizeText } from '../../core/text/size-text.ts';
import type { Reach } from '../remote/connect.ts';
import { brokenFinding, type Finding, good, lacking } from '../remote/finding.ts';
import type { MailServer } from '../remote/mail-server.ts';
import type { SignInServer } from '../remote/sign-in.ts';
import { raceLimit } from '../remote/time-limit.ts';
import { tlsReport } from '../remote/tls-report.ts';
import { smtpReport } from '../smtp/report.ts';
import { connectImap, newTraits } from './connection.ts';
import { deliversParts } from './content.ts';
import { imapFailure, isNotFound } from './failure.ts';
import { type FolderList, isGmail, listWithStatus, refusesListStatus } from './folders.ts';
import { openMailbox } from './open-mailbox.ts';
import { findsWords } from './search.ts';
import { type OpenFolder, openFolder } from './session.ts';
import type { SignInServers } from './settings.ts';
import { refusesEsearch } from './uid-search.ts';

export type { Finding } from '../remote/finding.ts';
export { broken, good, lacking } from '../remote/finding.ts';

/**
 * Reports what the two servers of an account can do, and what is wrong with them. Changes nothing, except
 * that messages of the inbox are no longer \Recent, as after any look at it.
 */
export async function imapReport(
  { imap, smtp }: SignInServers,
  reach: Reach,
  limit: AbortSignal,
): Promise<{
  readonly imap: readonly Finding[];
  readonly smtp: readonly Finding[];
  /** Undefined if the server could not list them. */
  readonly folders: readonly MailFolder[] | undefined;
}> {
  const [reading, sending] = await Promise.all([
    readingReport(imap, reach, limit),
    smtpReport(smtp, reach, limit),
  ]);
  return { imap: reading.findings, smtp: sending, folders: reading.folders };
}

async function readingReport(
  server: MailServer & SignInServer,
  reach: Reach,
  limit: AbortSignal,
): Promise<{ findings: readonly Finding[]; folders: readonly MailFolder[] | undefined }> {
  let findings: readonly Finding[] = [];
  let folders: readonly MailFolder[] | undefined;
  let client: ImapFlow | undefined;
  try {
    let socket: unknown;
    const traits = newTraits();
    client = await connectImap(server, reach, limit, traits, (secured) => {
      socket = secured;
    });
    const connected = client;
    const signedIn = traits.loginOnly
      ? lacking('sign_in', 'It offers AUTHENTICATE and refuses it: Countersign signs in with LOGIN.')
      : good('sign_in', 'Signed in.');
    findings = [...tlsReport(socket, server), signedIn];
    const mailbox = await raceLimit(limit, mailboxReport(connected), () => connected.close());
    findings = [...findings, ...mailbox.findings];
    folders = mailbox.folders;
    const tried = await raceLimit(limit, inboxReport(connected), () => connected.close());
    findings = [...findings, ...tried];
  } catch (error) {
    findings = [...findings, brokenFinding(imapFailure(error))];
  } finally {
    client?.close();
  }
  return { findings, folders };
}

async function mailboxReport(client: ImapFlow) {
  const { list, statuses } = await listWithStatus(client, { messages: true });
  const { folders } = list;
  const unknown = folders.filter(({ path }) => statuses.get(path)?.messages === undefined);
  const refused = await refusedAmong(client, unknown);
  // Not read-only, because servers report what they can store only to a session that may write.
  const inbox = await openMailbox(client, 'INBOX');
  const keepsKeywords = inbox.permanentFlags?.has('\\*') === true;
  const findings = [
    ...extensions(client),
    labels(client, keepsKeywords),
    access(refused),
    ...listing(client, list),
  ];
  return { folders, findings };
}

/** What a server announces, or must do anyway, and some refuse: it is tried in the inbox, unless that is empty. */
async function inboxReport(client: ImapFlow): Promise<readonly Finding[]> {
  const folder = openFolder(client);
  if (folder.mailbox.exists === 0) return [];
  const findings = [await searching(folder)];
  if (await refusesEsearch(client)) {
    const text = 'It offers ESEARCH and refuses it: Countersign counts what a search finds.';
    findings.push(lacking('esearch', text));
  }
  const delivers = await deliversParts(folder);
  if (delivers === true) findings.push(good('parts', 'It delivers parts of messages.'));
  if (delivers === false) {
    const text = `It delivers messages only as a whole: one over ${sizeText(SOURCE_BYTES)} cannot be read.`;
    findings.push(lacking('parts', text));
  }
  return findings;
}

/** Words that no message contains. */
const NOWHERE = { ascii: 'qzxjvk', other: 'qzxjvkü' };

async function searching(folder: OpenFolder): Promise<Finding> {
  const instead = 'Countersign reads the messages instead, which takes longer';
  if (!(await findsWords(folder, NOWHERE.ascii)))
    return lacking('search', `It does not search messages for words: ${instead}.`);
  return (await findsWords(folder, NOWHERE.other))
    ? good('search', 'It searches messages for words.')
    : lacking('search', `It searches messages for words in ASCII only: for others, ${instead}.`);
}

/** Returns the folders that the server does not open. One whose messages it has counted needs no look. */
async function refusedAmong(
  client: ImapFlow,
  folders: readonly MailFolder[],
): Promise<readonly MailFolder[]> {
  const refused: MailFolder[] = [];
  for (const folder of folders) {
    try {
      await openMailbox(client, folder.path, { readOnly: true });
    } catch (error) {
      if (!client.usable) throw error;
      // One that is gone since is none.
      if (!isNotFound(imapFailure(error))) refused.push(folder);
    }
  }
  return refused;
}

/** As many names as fit a line or two. */
const NAMES_MAX = 5;

function access(refused: readonly MailFolder[]): Finding {
  if (refused.length === 0) return good('folders', 'It opens every folder that it lists.');
  return lacking(
    'folders',
    `It lists folders that it does not open: ${named(refused)}. Searches and conversations lack what is in them, and say so.`,
  );
}

function named(folders: readonly MailFolder[]): string {
  const names = folders.slice(0, NAMES_MAX).map(({ path }) => `“${folderName(path)}”`);
  const more = folders.length > names.length ? ` and ${folders.length - names.length} more` : '';
  return `${names.join(', ')}${more}`;
}

function listing(client: ImapFlow, { folders, listsInbox, scopes }: FolderList): readonly Finding[] {
  const findings: Finding[] = [];
  if (!listsInbox) findings.push(lacking('inbox', 'It leaves INBOX out of its list: Countersign adds it.'));
  if (refusesListStatus(client)) {
    const text = 'It offers LIST-STATUS and refuses it: Countersign asks for each folder by itself.';
    findings.push(lacking('list_status', text));
  }
  const searched = new Set(scopes.map(({ path }) => path));
  const views = isGmail(client) ? [] : folders.filter(({ path }) => !searched.has(path));
  if (views.length > 0) {
    const text = `It has folders that show messages of others once more: ${named(views)}. A search over all folders leaves them out: a message that lies only there is found by naming the folder.`;
    findings.push(lacking('views', text));
  }
  if (scopes.some(({ isLabel }) => isLabel)) {
    const text =
      'It does not show All Mail: an archived message without a label is not found. Gmail’s settings show it to programs, under Labels.';
    findings.push(lacking('all_mail', text));
  }
  return findings;
}

function extensions({ capabilities }: ImapFlow): readonly Finding[] {
  const has = (name: string) => capabilities.has(name);
  const moves = has('UIDPLUS')
    ? 'It cannot move messages (no MOVE): they are copied, and the original is removed.'
    : 'It can neither move messages nor remove a single one (no MOVE, no UIDPLUS): they are copied, and the original stays, marked as deleted, and is not shown.';
  return [
    has('MOVE') ? good('move', 'It moves messages (MOVE).') : lacking('move', moves),
    has('UIDPLUS')
      ? good('uidplus', 'It removes single messages, and reports where a copy is (UIDPLUS).')
      : lacking('uidplus', 'It cannot remove a single message, nor report where a copy is (no UIDPLUS).'),
    has('SPECIAL-USE') || has('XLIST')
      ? good('special_use', 'It marks which folders are Sent, Trash and so on (SPECIAL-USE).')
      : lacking(
          'special_use',
          'It does not mark which folders are Sent, Trash and so on (no SPECIAL-USE): Countersign recognises them by name.',
        ),
    has('OBJECTID') || has('X-GM-EXT-1')
      ? good('stable_ids', 'A message keeps its id when it is moved.')
      : lacking(
          'stable_ids',
          'A message has another id when it is moved (no OBJECTID): Countersign finds it again by its headers, size and date.',
        ),
    has('IDLE')
      ? good('idle', 'It reports new mail at once (IDLE).')
      : lacking('idle', 'It does not report new mail (no IDLE): Countersign checks for it.'),
  ];
}

function labels(client: ImapFlow, keepsKeywords: boolean): Finding {
  if (isGmail(client)) return good('keywords', "It has Gmail's labels.");
  return keepsKeywords
    ? good('keywords', 'It stores keywords, which serve as labels.')
    : lacking('keywords', 'It does not store custom keywords: a label is a copy in the folder of that name.');
}
