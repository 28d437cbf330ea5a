/**
 * What only the long run does (`npm run test:long`), each with its reason. The gate (`npm test`) does everything else, and of
 * each matrix the part that covers every kind and every code path once. `projects.test.ts` fails if a test file runs in
 * neither, or if a name here is not used.
 */

/** Whether this is the long run. */
export const isLong = process.env.COUNTERSIGN_TESTS === 'long';

/** Whole test files, by their path. */
export const FILES = {
  'test/package/next-app.test.ts':
    'installs 340 MB; the gate has the same mount in other apps, and the README’s app on the packed package',
  'test/e2e/clock-steps.test.ts':
    'steps the clock of a real server; the gate has the rules of leases, limits and expiry with clocks of their own',
  'test/hosts/server/small-memory.test.ts':
    'keeps a server busy for a while to see what memory it takes; no test of the gate depends on that',
  'test/package/generated-clients.test.ts':
    'installs 200 MB; the gate has what generators need of the description',
  'test/clients/clients.test.ts':
    'installs 1 GB; the gate has the official client at each door, and checks that the table has every client',
  'test/adapters/imap/cyrus.test.ts':
    'the mail contract on Cyrus; the gate has Dovecot, Courier, and a Dovecot that lacks what servers may lack',
  'test/conformance/postgres.test.ts':
    'the storage contract holds both databases to the same promises, and the gate plays the calls on SQLite',
} as const satisfies Readonly<Record<string, string>>;

/** Parts of test files. */
const PARTS = {
  'crash: kills':
    'a kill after each call of each port; the gate kills after the calls that decide what is found',
  'crash: stages': 'the same acts on each storage and mailbox; the gate has each once',
  'caches: conversations':
    'the index of conversations filled by mailboxes on Dovecot; the gate fills every other cache',
  'cut: commands':
    'a connection cut before, unanswered and answered at each command of each tool; the gate takes turns among the three, and cuts at what each tool begins with once',
  'lost connection: verbs':
    'a connection lost before each statement of each verb; the gate takes each shape of verb',
  'pgbouncer: contract':
    'the storage contract once more behind a pooler; the gate runs each fourth verb through it',
  'Postgres addresses: forms':
    'a backup and its restore by each form of an address; the gate has a host, a socket and TLS, and reads each form',
  'silent Postgres': 'a port that never answers takes 5 s twice; the gate has those that answer wrongly',
  'dovecot: variants': 'the mail contract on servers that lack less than the one in the gate',
  'altered keys: columns':
    'the requests of a key of which each column was changed, on each database; the gate has all on SQLite',
  'apps: frameworks':
    'the example of each framework; the gate has each kind of mount: of Node behind nginx, of a body that was read, and of fetch',
  'proxies: browser': 'Chromium behind each proxy; the gate has it behind two, and programs behind all four',
  'proxies: waits':
    'calls and pages that wait longer than the timeouts of proxies; the gate has everything else behind each proxy',
  'package: nodes': 'the packed package on each version of Node; the gate has the one that runs it',
  'package: resolutions': 'one more module resolution; the gate has the strictest',
  'linear: signs': 'long runs of each sign; the gate has one of each kind',
  'linear: pairs': 'texts of each pair of parts; the gate has a sixth of the pairs, with each part',
  'growth: sizes': 'a hundred times the rows; the gate has ten times or more',
  'hiding tricks: browser':
    'Chromium’s pixels of each trick; the gate takes a part, and judges each trick itself',
  'pages: looks':
    'each page in each of four looks and five widths; the gate looks at each page once, at each look in turn',
  'sign-in attacks: emails': 'ten thousand emails; the gate tries two hundred',
  'response size: letters': 'more mailboxes of the longest letters; the gate has two at each door',
  'written to: servers': 'folders of the sent mail on more servers; the gate has those that differ most',
  'reader: faults':
    'readers that hang or fill their memory, for events too; the gate has one that hangs and one that fails',
  'calendar answers: size': 'a list of 20 MB; the gate reads 1.5 MB',
  'calendar contract: servers':
    'the calendar contract on Xandikos, Cyrus and DAViCal; the gate has Radicale and SOGo, which differs most',
  'imap contract: Courier':
    'the sections of the mail contract that two other servers have in the gate; the gate has those in which Courier differs',
  'imap contract: size': 'a message of 100 MB; the gate has 40 MB, more than an attachment may have',
  'corpus: documents':
    'three hundred documents of other programs; the gate has a third, of every program and type',
  'slow objects: readers':
    'each reader of each slow object; the gate has a list of each, and the others in turn',
  'tool door: plans': 'the numbers of the paid plan through MCP; the gate has them through REST',
  'silent ports: storage':
    'each method of the storage silent in each call; the gate has a quarter for each call, in turn',
  'delivery faults: Postgres': 'the same faults on Postgres; the gate has SQLite',
  'ordinary mail: mailboxes': 'ten mailboxes of ordinary mail; the gate has four',
  'wrong heads: splits': 'each wrong head split at each place; the gate splits it at each fifth',
  'bounded process: rounds': 'twenty crashes on the leftovers of a job; the gate has five',
  'openers: rounds': 'five rounds of processes that open a new database at once; the gate has two',
  'properties: samples': 'more samples of properties that are slow to play; the gate has a third or a fourth',
  'changed answers':
    'each answer of a mail server changed in each way; the gate changes one answer in each way, to a read or to a write',
  'odd servers: rounds': 'two hundred rounds, and the memory that they leave behind; the gate has one round',
  'soak: samples': 'a thousand fresh samples; the gate has twenty, the same each time',
  'seen is sent: letters': 'many letters through the owner’s page; the gate has some of each kind',
} as const;

type Part = keyof typeof PARTS;

/** @returns all cases in the long run, and those that `inGate` picks in the gate */
export function casesOf<T>(
  _part: Part,
  all: readonly T[],
  inGate: (one: T, index: number) => boolean,
): readonly T[] {
  return isLong ? all : all.filter(inGate);
}

/** @returns how many or how large: `all` in the long run */
export function sizeOf(_part: Part, all: number, inGate: number): number {
  return isLong ? all : inGate;
}

/** Declares tests that only the long run has. */
export function onlyLong(_part: Part, declare: () => void): void {
  if (isLong) declare();
}

/** The names of all parts. */
export const PART_NAMES = Object.keys(PARTS);
