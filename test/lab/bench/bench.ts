import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { activityPages } from './activity.ts';
import { calendar } from './calendar.ts';
import { calendarStalls } from './calendar-stalls.ts';
import { conversations } from './conversations.ts';
import { deliveries } from './deliveries.ts';
import { idleRounds } from './idle-rounds.ts';
import { indexed } from './indexed.ts';
import { openPages } from './live-pages.ts';
import { mailbox } from './mailbox.ts';
import { memory } from './memory.ts';
import { playedAtOnce } from './played-at-once.ts';
import { provenance } from './provenance.ts';
import { reading } from './reading.ts';
import { reply } from './reply.ts';
import { requestList } from './request-list.ts';
import { requestPage } from './request-page.ts';
import { serverLoad } from './server-load.ts';
import { stalls } from './stalls.ts';
import { stored } from './stored.ts';
import { printHead, printMissed, printRows, type Row } from './table.ts';
import { tokens } from './tokens.ts';
import { toolDoor } from './tool-door.ts';
import { trackers } from './trackers.ts';
import { watching } from './watching.ts';

/**
 * Measures Countersign's cost against the indispensable minimum, as ratios within one run: absolute numbers depend on the
 * machine, ratios hardly do. What misses its bound is printed last, and the exit code is then 1.
 */
const PARTS = {
  load: serverLoad,
  stored,
  'idle-rounds': idleRounds,
  'tool-door': toolDoor,
  tokens,
  mailbox,
  conversations,
  indexed,
  reading,
  stalls,
  'stalls-at-once': playedAtOnce,
  reply,
  calendar,
  'calendar-stalls': calendarStalls,
  memory,
  watching,
  trackers,
  deliveries,
  'open-pages': openPages,
  'request-list': requestList,
  activity: activityPages,
  'request-page': requestPage,
  provenance,
} satisfies Record<string, (dovecot: Dovecot, postfix: Postfix) => Promise<Row[]>>;

const names = process.argv.slice(2);
/** A name also stands for the parts that begin with it: `stalls` for `stalls-at-once`. */
const isNamed = (part: string, name: string) => part === name || part.startsWith(`${name}-`);
const unknown = names.find((name) => !Object.keys(PARTS).some((part) => isNamed(part, name)));
if (unknown !== undefined)
  stop(`There is no part ${unknown}; the parts are ${Object.keys(PARTS).join(', ')}.`);
const missing = missingServers();
if (missing.length > 0) stop(`The benchmark needs ${missing.join(', ')}.`);

function stop(why: string): never {
  console.error(why);
  process.exit(2);
}

// The mail servers must not keep this process alive, not even while it waits for them to end.
const alive = setInterval(() => undefined, 60_000);
try {
  const dovecot = await startDovecot({ tls: false });
  try {
    const postfix = await startPostfix(dovecot, { tls: false });
    try {
      printHead();
      const all: Row[] = [];
      for (const [name, measure] of Object.entries(PARTS)) {
        if (names.length > 0 && !names.some((wanted) => isNamed(name, wanted))) continue;
        const rows = await measure(dovecot, postfix);
        printRows(rows);
        all.push(...rows);
      }
      if (!printMissed(all)) process.exitCode = 1;
    } finally {
      await postfix.stop();
    }
  } finally {
    await dovecot.stop();
  }
} finally {
  clearInterval(alive);
}
