import { once } from 'node:events';
import net from 'node:net';

/**
 * The responses that only Gmail gives, from its documentation (developers.google.com/workspace/gmail/imap): folders are
 * labels, All Mail lists every message again, and messages and conversations have ids. It supports only the commands
 * that the tests need, in the exact form they use.
 */
export interface ScriptedGmail {
  readonly port: number;
  readonly messages: readonly GmailMessage[];
  /** The command lines it received. */
  readonly commands: readonly string[];
  stop(): Promise<void>;
}

export interface GmailMessage {
  /** The same in every folder. */
  readonly uid: number;
  readonly id: string;
  readonly threadId: string;
  readonly subject: string;
  /** `\\Inbox`, `\\Trash`, `\\Starred`, or a name. */
  readonly labels: Set<string>;
}

export const ALL_MAIL = '[Gmail]/All Mail';
const TRASH = '[Gmail]/Trash';
const FOLDERS: readonly [string, string][] = [
  ['INBOX', '\\HasNoChildren'],
  ['Work', '\\HasNoChildren'],
  ['[Gmail]', '\\HasChildren \\Noselect'],
  [ALL_MAIL, '\\All \\HasNoChildren'],
  ['[Gmail]/Starred', '\\Flagged \\HasNoChildren'],
  ['[Gmail]/Sent Mail', '\\HasNoChildren \\Sent'],
  [TRASH, '\\HasNoChildren \\Trash'],
];

/** @param hidden  folders that the owner hides from IMAP in Gmail's settings */
export async function startScriptedGmail(
  messages: readonly GmailMessage[],
  hidden: readonly string[] = [],
): Promise<ScriptedGmail> {
  const folders = FOLDERS.filter(([path]) => !hidden.includes(path));
  const commands: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('* OK Gimap ready\r\n');
    let selected = '';
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
        commands.push(command);
        const name = /^SELECT "?([^"]*)"?$/.exec(command)?.[1];
        if (name !== undefined) selected = name;
        socket.write(`${answer(command, selected, messages, folders).join('')}${tag} OK done\r\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    port: address.port,
    messages,
    commands,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(
  command: string,
  selected: string,
  messages: readonly GmailMessage[],
  folders: typeof FOLDERS,
): string[] {
  const present = messages.filter((message) => isIn(message, selected));
  if (command === 'CAPABILITY') {
    return ['* CAPABILITY IMAP4rev1 UIDPLUS MOVE NAMESPACE SPECIAL-USE X-GM-EXT-1\r\n'];
  }
  if (command === 'NAMESPACE') return ['* NAMESPACE (("" "/")) NIL NIL\r\n'];
  if (command.startsWith('LIST'))
    return folders.map(([path, flags]) => `* LIST (${flags}) "/" "${path}"\r\n`);
  if (command.startsWith('STATUS')) {
    const name = /^STATUS "?([^"]*)"? \(/.exec(command)?.[1] ?? '';
    const { length } = messages.filter((message) => isIn(message, name));
    return [`* STATUS "${name}" (MESSAGES ${length} UNSEEN ${length})\r\n`];
  }
  if (command.startsWith('SELECT')) {
    return [
      `* ${present.length} EXISTS\r\n`,
      '* OK [UIDVALIDITY 7] ok\r\n',
      '* OK [PERMANENTFLAGS (\\Seen \\*)] ok\r\n',
    ];
  }
  // Nothing is read, and nothing is marked as deleted.
  if (/^SEARCH ((ALL|UNSEEN) )?UNDELETED$/.test(command)) {
    return [`* SEARCH${present.map((_message, index) => ` ${index + 1}`).join('')}\r\n`];
  }
  if (command.startsWith('UID SEARCH')) {
    const found = present.filter((message) => matches(message, command));
    return [`* SEARCH${found.map(({ uid }) => ` ${uid}`).join('')}\r\n`];
  }
  const [, byUid, verb, set = '', argument = ''] =
    /^(UID )?(FETCH|MOVE|STORE) (\S+) (.*)$/.exec(command) ?? [];
  const named = present.filter(({ uid }, index) => holds(set, byUid === undefined ? index + 1 : uid));
  if (verb === 'FETCH') return named.map((message) => row(message, present.indexOf(message) + 1, argument));
  if (verb === 'STORE') {
    for (const { labels } of named) labels.add(/\+X-GM-LABELS \("?([^")]*)/.exec(argument)?.[1] ?? '');
  }
  if (verb === 'MOVE') for (const message of named) move(message, selected, argument.replaceAll('"', ''));
  return [];
}

function isIn({ labels }: GmailMessage, folder: string): boolean {
  if (folder === ALL_MAIL) return !labels.has('\\Trash');
  if (folder === TRASH) return labels.has('\\Trash');
  if (folder === '[Gmail]/Starred') return labels.has('\\Starred');
  return labels.has(folder === 'INBOX' ? '\\Inbox' : folder);
}

/** The messages that match an id, a label or a subject; other keys match nothing. */
function matches(message: GmailMessage, search: string): boolean {
  const [, rawLabel] = /X-GM-RAW "?-label:(\w+)/.exec(search) ?? [];
  if (rawLabel === 'inbox' && message.labels.has('\\Inbox')) return false;
  const [, id] = /X-GM-MSGID (\d+)/.exec(search) ?? [];
  const [, threadId] = /X-GM-THRID (\d+)/.exec(search) ?? [];
  const [, word] = /SUBJECT (\w+)/.exec(search) ?? [];
  if (id !== undefined) return message.id === id;
  if (threadId !== undefined) return message.threadId === threadId;
  return word !== undefined && message.subject.includes(word);
}

function holds(set: string, uid: number): boolean {
  return set.split(',').some((range) => {
    const [first = 0, last = first] = range.split(':').map(Number);
    return first <= uid && uid <= last;
  });
}

function row({ uid, id, threadId, subject, labels }: GmailMessage, number: number, items: string): string {
  const header = /BODY\.PEEK(\[HEADER\.FIELDS \([^)]*\)\])/.exec(items)?.[1];
  const parts = [
    `UID ${uid}`,
    'FLAGS ()',
    `INTERNALDATE "0${uid}-May-2024 12:00:00 +0000"`,
    'RFC822.SIZE 100',
    `X-GM-MSGID ${id}`,
    `X-GM-THRID ${threadId}`,
    `X-GM-LABELS (${[...labels].map((label) => JSON.stringify(label)).join(' ')})`,
    `ENVELOPE (NIL "${subject}" NIL NIL NIL NIL NIL NIL NIL "<${uid}@x.example>")`,
    ...(header === undefined ? [] : [`BODY${header} {2}\r\n\r\n`]),
  ];
  return `* ${number} FETCH (${parts.join(' ')})\r\n`;
}

/** A message keeps its other labels. Moving it from the inbox to All Mail archives it. */
function move({ labels }: GmailMessage, from: string, to: string): void {
  if (from === 'INBOX') labels.delete('\\Inbox');
  else labels.delete(from);
  if (to === TRASH) {
    labels.clear();
    labels.add('\\Trash');
  } else if (to !== ALL_MAIL) labels.add(to === 'INBOX' ? '\\Inbox' : to);
}
