import type { Mutation, SentCommand } from '../servers/mutating-proxy.ts';

/** One way in which a server's answer to a command can be wrong. */
export interface Case {
  readonly command: string;
  /** What is wrong, without the command and the field. */
  readonly kind: string;
  /** `UID FETCH: INTERNALDATE, NIL, of the first` */
  readonly name: string;
  readonly mutation: Mutation;
}

type Rewrite = (response: string) => string;

const UNTAGGED = /^\* /;

/** @returns what can be wrong with the answer to a command of IMAP */
export function imapCases(command: string): readonly Case[] {
  const instead = (kind: string, text: string, ends = false) =>
    caseOf(command, kind, '', { instead: ({ tag }) => [`${tag} ${text}\r\n`], ends });
  const rewritten = (kind: string, rewrite: (responses: readonly string[]) => readonly string[]) =>
    caseOf(command, kind, '', { answer: rewrite });
  if (command === 'LOGOUT') return [];
  if (command === 'greeting') return [rewritten('greets with BYE', () => ['* BYE later\r\n'])];
  return [
    instead('NO', 'NO not now'),
    instead('NO with an unknown code', 'NO [X-UNHEARD 1 (2)] not now'),
    instead('NO [UNAVAILABLE]', 'NO [UNAVAILABLE] later'),
    instead('BAD', 'BAD what'),
    instead('OK without having done it', 'OK done'),
    caseOf(command, 'BYE', '', { instead: () => ['* BYE later\r\n'], ends: true }),
    rewritten('OK with an unknown code', ([...responses]) => {
      const last = responses.pop() ?? '';
      return [...responses, last.replace(/^(\w+ OK )(?:\[[^\]]*\] )?/, '$1[X-UNHEARD 1 (2)] ')];
    }),
    rewritten('no data', (responses) => responses.filter((one) => !UNTAGGED.test(one))),
    rewritten('data doubled', (responses) =>
      responses.flatMap((one) => (UNTAGGED.test(one) ? [one, one] : [one])),
    ),
    rewritten('data out of order', (responses) => [
      ...responses.filter((one) => UNTAGGED.test(one)).reverse(),
      ...responses.filter((one) => !UNTAGGED.test(one)),
    ]),
    rewritten('data in other case', (responses) =>
      responses.map((one) => one.replace(/^\* (?:\d+ )?[A-Z]+/, (text) => text.toLowerCase())),
    ),
    rewritten('the last of the data absent', (responses) => {
      const last = responses.findLastIndex((one) => UNTAGGED.test(one));
      return responses.filter((_one, index) => index !== last);
    }),
    ...fieldCases(command),
  ];
}

/** A field of an answer, and how it is written. */
interface Field {
  readonly name: string;
  readonly of: RegExp;
  /** The field with its value, and the value alone as its first group. */
  readonly pattern: RegExp;
  readonly empty: string;
}

const FETCH = /^\* \d+ FETCH /;
const STATUS = /^\* STATUS /;
const SELECTED = /^\* OK \[/;
const LIST = /^\* LIST /;
const EXISTS = /^\* \d+ EXISTS/;
const COPIED = /^\S+ OK \[COPYUID /;
const APPENDED = /^\S+ OK \[APPENDUID /;

/** The commands whose answers have such a line. */
const COMMANDS: ReadonlyMap<RegExp, readonly string[]> = new Map([
  [FETCH, ['FETCH', 'UID FETCH']],
  [STATUS, ['LIST', 'STATUS']],
  [SELECTED, ['SELECT']],
  [EXISTS, ['SELECT']],
  [LIST, ['LIST']],
  [COPIED, ['UID MOVE', 'UID COPY']],
  [APPENDED, ['APPEND']],
]);

const FIELDS: readonly Field[] = [
  { name: 'UID', of: FETCH, pattern: /\bUID (\d+)/, empty: '0' },
  { name: 'FLAGS', of: FETCH, pattern: /\bFLAGS (\([^)]*\))/, empty: '()' },
  { name: 'INTERNALDATE', of: FETCH, pattern: /\bINTERNALDATE ("[^"]*")/, empty: '""' },
  { name: 'RFC822.SIZE', of: FETCH, pattern: /\bRFC822\.SIZE (\d+)/, empty: '0' },
  ...['MESSAGES', 'UNSEEN', 'UIDNEXT', 'UIDVALIDITY'].map((name) => ({
    name,
    of: STATUS,
    pattern: new RegExp(`\\b${name} (\\d+)`),
    empty: '0',
  })),
  ...['UIDVALIDITY', 'UIDNEXT', 'HIGHESTMODSEQ'].map((name) => ({
    name,
    of: SELECTED,
    pattern: new RegExp(`\\b${name} (\\d+)`),
    empty: '0',
  })),
  { name: 'EXISTS', of: EXISTS, pattern: /^\* (\d+) EXISTS/, empty: '0' },
  { name: 'COPYUID', of: COPIED, pattern: /\[COPYUID (\d+ [\d:,]+ [\d:,]+)\]/, empty: '1 1 1' },
  { name: 'APPENDUID', of: APPENDED, pattern: /\[APPENDUID (\d+ \d+)\]/, empty: '1 1' },
  { name: 'PERMANENTFLAGS', of: SELECTED, pattern: /\bPERMANENTFLAGS (\([^)]*\))/, empty: '()' },
  { name: 'attributes', of: LIST, pattern: /(?<=^\* LIST )(\([^)]*\))/, empty: '()' },
  { name: 'delimiter', of: LIST, pattern: /(?<=^\* LIST \([^)]*\) )("[^"]*")/, empty: '""' },
];

/** The section and the literal of a body. */
const BODY = /\b(BODY\[[^\]]*\](?:<\d+>)?) \{(\d+)\}\r\n/;

/** The commands whose answers have fields, and the fields. */
function fieldCases(command: string): readonly Case[] {
  const cases = FIELDS.filter(({ of }) => COMMANDS.get(of)?.includes(command)).flatMap(
    ({ name, of, pattern, empty }) => {
      const ways: readonly [string, Rewrite][] = [
        [
          'absent',
          (one) => one.replace(pattern, '').replace(/ {2,}/, ' ').replace('( ', '(').replace(' )', ')'),
        ],
        ['NIL', (one) => one.replace(pattern, (whole, value: string) => whole.replace(value, 'NIL'))],
        ['empty', (one) => one.replace(pattern, (whole, value: string) => whole.replace(value, empty))],
        ['doubled', (one) => one.replace(pattern, (whole) => `${whole} ${whole}`)],
        ['in other case', (one) => one.replace(pattern, (whole) => whole.toLowerCase())],
      ];
      return ways.flatMap(([kind, rewrite]) => ofOneAndAll(command, `field ${kind}`, name, of, rewrite));
    },
  );
  if (!command.endsWith('FETCH')) return cases;
  const bodies: readonly [string, Rewrite][] = [
    ['absent', (one) => withBody(one, () => '')],
    ['NIL', (one) => withBody(one, (section) => `${section} NIL`)],
    ['empty', (one) => withBody(one, (section) => `${section} ""`)],
    ['short', (one) => withBody(one, (section, body) => literal(section, body.slice(0, body.length / 2)))],
    [
      'doubled',
      (one) => withBody(one, (section, body) => `${literal(section, body)} ${literal(section, body)}`),
    ],
    ['in other case', (one) => withBody(one, (section, body) => literal(section.toLowerCase(), body))],
  ];
  return [
    ...cases,
    ...bodies.flatMap(([kind, rewrite]) => ofOneAndAll(command, `field ${kind}`, 'BODY', FETCH, rewrite)),
  ];
}

function literal(section: string, body: string): string {
  return `${section} {${body.length}}\r\n${body}`;
}

function withBody(response: string, rewrite: (section: string, body: string) => string): string {
  const found = BODY.exec(response);
  if (found === null) return response;
  const [announced, section = '', length] = found;
  const start = found.index + announced.length;
  const end = start + Number(length);
  return response.slice(0, found.index) + rewrite(section, response.slice(start, end)) + response.slice(end);
}

function ofOneAndAll(command: string, kind: string, field: string, of: RegExp, rewrite: Rewrite): Case[] {
  // These lines come once.
  const isOne = [SELECTED, EXISTS, COPIED, APPENDED].includes(of);
  const scopes = isOne ? (['of all'] as const) : (['of the first', 'of all'] as const);
  return scopes.map((which) =>
    caseOf(command, `${kind}, ${which}`, field, {
      answer: (responses) => {
        const first = responses.findIndex((one) => of.test(one) && rewrite(one) !== one);
        return responses.map((one, index) =>
          of.test(one) && (which === 'of all' || index === first) ? rewrite(one) : one,
        );
      },
    }),
  );
}

/** @returns what can be wrong with the reply to a command of SMTP */
export function smtpCases(command: string): readonly Case[] {
  const replied = (kind: string, reply: readonly string[], ends = false) => {
    const lines = reply.map((line) => `${line}\r\n`);
    // A greeting has no command that could be answered instead.
    return caseOf(
      command,
      kind,
      '',
      command === 'greeting' ? { answer: () => lines, ends } : { instead: () => lines, ends },
    );
  };
  const rewritten = (kind: string, rewrite: (lines: readonly string[]) => readonly string[]) =>
    caseOf(command, kind, '', { answer: rewrite });
  if (command === 'QUIT') return [];
  return [
    replied('421', ['421 4.3.2 closing'], true),
    replied('450', ['450 4.2.1 later']),
    replied('451 of several lines', ['451-4.3.0 later', '451 4.3.0 really']),
    replied('500', ['500 what']),
    replied('550 with a wrong enhanced code', ['550 2.0.0 fine']),
    replied('554 without an enhanced code', ['554 no']),
    replied('250 without having done it', ['250 2.0.0 done']),
    replied('354', ['354 go on']),
    replied('no code', ['fine']),
    rewritten('no enhanced code', (lines) =>
      lines.map((line) => line.replace(/^(\d{3}[ -])\d\.\d\.\d /, '$1')),
    ),
    rewritten('of several lines', (lines) => {
      const code = lines.at(-1)?.slice(0, 3) ?? '';
      return [`${code}-more\r\n`, ...lines];
    }),
    rewritten('without a text', (lines) => lines.map((line) => line.replace(/^(\d{3}).*\r\n$/s, '$1\r\n'))),
    rewritten('in other case', (lines) => lines.map((line) => line.toLowerCase())),
  ];
}

function caseOf(
  command: string,
  kind: string,
  field: string,
  how: { instead?: (command: SentCommand) => readonly string[]; answer?: Mutation['answer']; ends?: boolean },
): Case {
  const { instead, answer, ends } = how;
  return {
    command,
    kind,
    name: `${command}: ${field === '' ? '' : `${field}, `}${kind}`,
    mutation: {
      command,
      ...(instead === undefined ? {} : { instead }),
      ...(answer === undefined ? {} : { answer }),
      ...(ends === undefined ? {} : { ends }),
    },
  };
}
