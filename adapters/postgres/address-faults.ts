import { tlsFault } from './tls-faults.ts';

/** What is wrong with an address of which node-postgres reads nothing. It comes after the name of the setting. */
export const UNREADABLE =
  'cannot be read. Write it like postgres://user:password@host/name, and in the user and the password # as %23, ' +
  '/ as %2F, ? as %3F, @ as %40, : as %3A, % as %25 and a space as %20';

const WITH_HOST = /^(?:postgres(?:ql)?|pg):\/\//i;
const WITH_SOCKET = /^socket:/i;

/** A socket's folder and a database: the form of node-postgres without a scheme. A path of a file has no such space. */
const FOLDER_AND_NAME = /^\/(?!\/)[^ ]+ [^ /]+$/;

/** Whether a text is meant as the address of a Postgres database, and not as a file. */
export function isPostgresAddress(text: string): boolean {
  return WITH_HOST.test(text) || WITH_SOCKET.test(text) || FOLDER_AND_NAME.test(text);
}

/**
 * Finds what node-postgres reads differently from what the address says, or not at all.
 * @param text  a connection string
 * @returns what is wrong and what to write instead, to come after the name of the setting. It repeats nothing that may be
 * part of a password. Undefined if node-postgres reads the address as it is written.
 */
export function addressFault(text: string): string | undefined {
  if (text.startsWith('/')) {
    return FOLDER_AND_NAME.test(text) || /^\/(?!\/)[^ ]+$/.test(text) ? undefined : SOCKET_FORM;
  }
  if (!WITH_HOST.test(text) && !WITH_SOCKET.test(text)) return UNREADABLE;
  return charactersFault(text) ?? partsFault(partsOf(text));
}

/** The parameters of an address, as node-postgres reads them: the last one of each name counts. */
export function parametersOf(text: string): ReadonlyMap<string, string> {
  return new Map(text.startsWith('/') ? [] : new URLSearchParams(partsOf(text).query));
}

interface Parts {
  readonly isSocket: boolean;
  /** What is before the first slash: user, password, host and port. */
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

function partsOf(text: string): Parts {
  const isSocket = WITH_SOCKET.test(text);
  const [, authority = '', path = '', query = ''] =
    /^\w+:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
  return { isSocket, authority, path, query };
}

/** A space, or a percent sign without two hexadecimal digits: node-postgres then encodes the address itself. */
function isLoose(text: string): boolean {
  return / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i.test(text);
}

function charactersFault(text: string): string | undefined {
  if (text.includes('#')) return 'is cut at #. Write # as %23';
  if (text.endsWith(' ')) return 'ends with a space. Remove it';
  // When node-postgres encodes an address itself, it keeps only escapes of two digits.
  if (isLoose(text) && /[\t\r\n]|%(?!\d\d)[a-f0-9]{2}/i.test(text)) {
    return 'is encoded only in part. Write every space as %20, and every % that begins no such code as %25';
  }
  return undefined;
}

const SOCKET_FORM =
  'names no folder of a socket. Write it like socket:/var/run/postgresql?db=name, or with a user and a password ' +
  'socket://user:password@/var/run/postgresql?db=name';

function partsFault(parts: Parts): string | undefined {
  const { isSocket, authority, path, query } = parts;
  const parameters = new Map(new URLSearchParams(query));
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isEncodedSocket = /^%2f/i.test(host);
  if (!isSocket && path.includes('@') && (!authority.includes('@') || path.lastIndexOf('/') > 0)) {
    return 'is cut at the first slash. In the user and the password, write / as %2F and @ as %40';
  }
  if ([...parameters.keys()].some((name) => !/^[a-z]\w*$/i.test(name))) {
    return 'is cut at the first question mark. In the user and the password, write ? as %3F; in a parameter, & as %26';
  }
  if (isSocket && (host !== '' || !/^\/[^/]/.test(path))) return SOCKET_FORM;
  // node-postgres decodes it by decodeURI, which leaves these codes as they are.
  if (/%(?:2[346bcf]|3[abdf]|40)/i.test(path)) {
    return isSocket
      ? 'has a folder with a code for one of ;/?:@&=+$,# in it, which node-postgres does not decode. Write it as the character, or move the socket'
      : 'has a database with a code for one of ;/?:@&=+$,# in its name, which node-postgres does not decode. Write the character itself; for ? and #, rename the database';
  }
  if (/[?&]password=[^&]*\+/.test(`?${query}`)) {
    return 'has a + in its parameter password, which is read as a space. Write + as %2B';
  }
  if (isEncodedSocket && parameters.has('host')) return 'names two hosts. Remove one of them';
  if (`${host}${parameters.get('host') ?? ''}`.includes(',')) {
    return 'names several hosts, and node-postgres connects to one. Write the host that leads to the primary';
  }
  if (!/^\d{0,5}$/.test(parameters.get('port') ?? '')) return 'has a port that is not a number. Correct it';
  const unread = UNREAD.find(([name]) => parameters.has(name));
  if (unread !== undefined) return `has the parameter ${unread[0]}, which ${unread[1]}`;
  if (parameters.has('db') && !isSocket) return DATABASE_IN_PATH;
  const socket = isSocket || isEncodedSocket || parameters.get('host')?.startsWith('/') === true;
  return tlsFault(parameters, socket);
}

const DATABASE_IN_PATH =
  'has the parameter db, which node-postgres reads only after socket:. Write the database as postgres://host/name';

const NOT_READ = 'node-postgres does not read. Remove it';

/** Parameters that lead elsewhere in other programs. What only tunes a connection there is passed over. */
const UNREAD: readonly (readonly [name: string, why: string])[] = [
  ['dbname', 'node-postgres does not read. Write the database as postgres://host/name'],
  ['database', 'node-postgres does not read. Write the database as postgres://host/name'],
  ['hostaddr', 'node-postgres does not read. Write the address as the host'],
  ['service', NOT_READ],
  ['target_session_attrs', `${NOT_READ}, and name the primary`],
  ['replication', 'is for copies of a server. Remove it'],
];
