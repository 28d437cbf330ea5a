import { expect, it } from 'vitest';
import { sourceFacts } from '../source-facts.ts';

// A call of a port ends at its limit whatever an adapter does. What the adapter holds for it, such as a connection, a
// process or a place in a queue, is free again only when its own wait ends. So each wait ends with the call, or sooner.

/** `call`: the limit or the signal of the call ends it. `own`: a limit of its own. `here`: nobody else is waited for. */
type EndsWith = 'call' | 'own' | 'here';

const ENDS: Readonly<Record<string, readonly [EndsWith, how: string]>> = {
  'adapters/caldav/http.ts received': ['call', 'its signal destroys the response'],
  'adapters/caldav/http.ts send': ['call', 'its signal destroys the request'],
  'adapters/discovery/https-get.ts answerOf': ['own', 'the signal of its time limit destroys the request'],
  'adapters/documents/https-documents.ts bodyOf': ['call', 'timeLimitMs destroys the request'],
  'adapters/documents/https-documents.ts fetchOnce': ['call', 'timeLimitMs destroys the request'],
  'adapters/imap/account-connections.ts accountConnections': ['call', 'its limit takes it out of the queue'],
  'adapters/imap/at-places.ts textsAt': ['call', 'its limit closes the connection'],
  'adapters/imap/conversation-index.ts readLinks': ['call', 'its limit closes the connection'],
  'adapters/imap/fetch-each.ts fetchEach': ['call', 'its limit closes the connection'],
  'adapters/imap/fetched.ts fetched': ['call', 'its limit closes the connection'],
  'adapters/imap/known-messages.ts knownMessages': ['call', 'its limit closes the connection'],
  'adapters/imap/known-rows.ts stillThere': ['call', 'its limit closes the connection'],
  'adapters/imap/received-dates.ts receivedDates': ['call', 'its limit closes the connection'],
  'adapters/imap/rows.ts fetchRowsIn': ['call', 'its limit closes the connection'],
  'adapters/imap/search.ts narrowedHere': ['call', 'its limit closes the connection'],
  'adapters/imap/sent-folder.ts fetchCopies': ['call', 'its limit closes the connection'],
  'adapters/mail-index/sqlite-index.ts sqliteIndex': [
    'own',
    'core waits for 5 s, and who waits for the thread hears of its end',
  ],
  'adapters/oauth/limited-fetch.ts answerTo': ['own', 'the signal of its time limit destroys the request'],
  'adapters/oauth/limited-fetch.ts limitedFetch': ['own', 'the signal of its time limit'],
  'adapters/process/bounded-process.ts jobEnd': [
    'call',
    'its signal, or a multiple of the CPU time of the job',
  ],
  'adapters/process/bounded-process.ts startProcess': ['own', 'a process that does not start is killed'],
  'adapters/process/process-pool.ts processPool': ['call', 'its signal takes it out of the queue'],
  'adapters/remote/connect.ts waitFor': ['call', 'its limit destroys the socket'],
  'adapters/remote/probe.ts answer': ['call', 'its limit destroys the socket'],
  'adapters/remote/probe.ts certificateOf': ['call', 'its limit destroys the socket'],
  'adapters/remote/probe.ts tlsInstead': ['own', 'a timer'],
  'adapters/remote/time-limit.ts raceLimit': ['call', 'it is what ends the others'],
  'adapters/smtp/connection.ts smtpStep': ['call', 'its limit closes the connection'],
  'adapters/sqlite/checkpoints.ts checkpointsOf': [
    'own',
    'the thread waits for a reader for 5 s, and who waits for the thread hears of its end',
  ],
  'adapters/sqlite/grouped.ts grouping': [
    'own',
    'the next turn of the event loop commits the group, within the limit of its lock',
  ],
  'adapters/sqlite/lock-line.ts lockLine': ['own', 'a lock that is not free in 5 s refuses what waits'],
  'adapters/webhooks/https-sender.ts postOnce': ['call', 'timeLimitMs or its signal destroys the request'],
  imapflow: ['call', 'its limit closes the connection'],
  'node delay': ['call', 'its signal ends it'],
  'node lookup': [
    'call',
    'raced with its limit: the system itself gives up later, and holds nothing of ours',
  ],
  'node resolve4': ['call', 'its signal cancels the query'],
  'node resolve6': ['call', 'its signal cancels the query'],
  'node resolveMx': ['call', 'its signal cancels the query'],
  'node resolveSrv': ['call', 'its signal cancels the query'],
  'node setImmediate': ['here', 'a turn of the event loop'],
  nodemailer: ['call', 'its limit closes the connection'],
  oauth4webapi: ['own', 'it sends with limitedFetch'],
  pg: ['own', 'connecting, a lock and an answer have a limit each'],
  tsdav: ['call', 'it sends with the fetch of http.ts'],
  unpdf: ['here', 'it reads in a process, whose CPU time is limited'],
};

it('every wait of an adapter is known to end with its call, or sooner', async () => {
  expect((await sourceFacts()).adapterWaits).toEqual(Object.keys(ENDS).toSorted());
});
