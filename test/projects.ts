/** Which test files run together, and how: the projects of vitest.config.ts. */

/** Tests that count what a process does, start and kill processes, or replace modules: each file has its own process. */
export const APART = [
  'test/*.test.ts',
  'test/caches/filled.test.ts',
  'test/conformance/{postgres,tool-door}.test.ts',
  'test/ledger/**/*.test.ts',
  'test/adapters/driver/*.test.ts',
  'test/adapters/oauth/sign-in.test.ts',
  'test/core/linear/*.test.ts',
  'test/core/stored-plan.test.ts',
  'test/core/activity/altered-activity.test.ts',
];

/** By room of core, the tests that need more than pure functions. `projects.test.ts` fails if one is missing, or in vain. */
const NOT_PURE: Readonly<Record<string, readonly string[]>> = {
  activity: ['altered-activity', 'cover-activity'],
  approvals: ['altered-decisions', 'idempotency', 'same-request'],
  calendar: ['event-run', 'same-event-twice'],
  call: ['fitting', 'message-handles'],
  contract: [],
  execution: ['start-under-way'],
  folders: [],
  html: ['hiding-tricks-in-browser'],
  ical: ['disputed-zone'],
  keys: ['altered-keys', 'paused-keys'],
  mail: [],
  mime: [],
  memory: [],
  notices: ['send-notices'],
  owners: ['altered-access', 'owners', 'passkeys'],
  plans: [],
  provenance: ['overflow'],
  safety: ['holds'],
  filter: ['safety-filter'],
  stated: [],
  secrets: [],
  text: ['seen-text'],
  time: [],
  tools: ['calendar-read', 'calendar-write', 'instructions', 'own-affairs'],
  trackers: ['link-sent'],
  xml: [],
};

/** Tests of core that need no service, no database, no server and no other process. `npm run quick` runs these. */
export const PURE = [
  ...Object.entries(NOT_PURE).map(([room, others]) =>
    others.length === 0
      ? `test/core/${room}/**/*.test.ts`
      : `test/core/${room}/**/!(${others.join('|')}).test.ts`,
  ),
  'test/core/{judge-claim,public-names,tool-arguments}.test.ts',
  'test/core/accounts/{account-cache,kept-readings,message-handle,object-calendar}.test.ts',
  'test/core/events/{attempt-room,delivery,signature}.test.ts',
  'test/core/gate/{approval,slot}-waits.test.ts',
  'test/core/watching/{inbox-position,new-mail-events}.test.ts',
  'test/core/work/within-limit.test.ts',
];
