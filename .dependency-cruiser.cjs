// Which file may import which: hosts → core ← adapters. test/import-directions.test.ts runs these rules and
// shows that each of them finds what it is for.

/** Libraries without input or output of their own. */
const PURE_LIBRARIES = [
  '@csstools',
  'ajv',
  'ajv-formats',
  'diff',
  'iconv-lite',
  'ical.js',
  // nodemailer as a whole opens sockets; this file of it only parses.
  'nodemailer/dist/esm/mime-funcs',
  'parse5',
  'postal-mime',
  'saxes',
  'timezones-ical-library',
  'zod',
];

/**
 * The rooms of core that read what strangers wrote: MIME, HTML, CSS, XML, RTF, TNEF, CMS, iCalendar, the passages and the values
 * of texts. Only a reading process imports them, so they come last, and know of the others only those before the ports.
 */
const READING_ROOMS = ['html', 'xml', 'ical', 'mime', 'stated', 'filter', 'readers'];

/** The adapters that run in a reading process, and the reader for tests, which reads where it is. */
const READING_ADAPTERS =
  '^adapters/(reader/(worker|inline-reader)[.]ts$|extract/(?!(attachment-text|job)[.]ts$))';

/** The libraries that parse strangers' bytes. `test/import-directions.test.ts` knows the others. */
const PARSERS = [
  '@csstools',
  'chardet',
  'fflate',
  'iconv-lite',
  'ical.js',
  'nodemailer/lib/mime-funcs',
  'parse5',
  'postal-mime',
  'saxes',
  'unpdf',
];

/**
 * The rooms of core, lowest first: a file imports from its own room and from rooms above its line here, never from one
 * below. What comes before the ports is pure. A subject comes after them: its rules are pure, and what it does uses the ports.
 */
const ROOMS = [
  'memory',
  'text',
  'time',
  'contract',
  'secrets',
  'state',
  'mail',
  'folders',
  'calendar',
  'safety',
  'provenance',
  'reading',
  'ports',
  'work',
  'keys',
  'owners',
  'accounts',
  'mail-index',
  'actions',
  'approvals',
  'execution',
  'activity',
  'events',
  'notices',
  'call',
  'plans',
  'trackers',
  'watching',
  'tools',
  'gate',
  'requests',
  'service',
  ...READING_ROOMS,
];

/**
 * What a subject stores: its tables, and the verbs on them. `Storage` is made of these files, wherever their room stands, so
 * neither they nor what they import uses a port.
 */
const STATE = '^core/(?!ports/)[a-z-]+/[a-z-]+-(tables|state|storage)[.]ts$';

const OWN = '^(core|adapters|hosts|examples|test)/';
const PURE = `(^|/)node_modules/(@types/)?(${PURE_LIBRARIES.join('|').replaceAll('.', '\\.')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'core-inward',
      comment: 'Core imports no adapter, no host, no test.',
      severity: 'error',
      from: { path: '^core/' },
      to: { path: OWN, pathNot: '^core/' },
    },
    {
      name: 'core-pure-libraries',
      comment: 'Core imports only libraries that touch nothing outside.',
      severity: 'error',
      from: { path: '^core/' },
      to: { path: 'node_modules', pathNot: PURE },
    },
    {
      name: 'core-node-pure',
      comment: 'Of Node, core imports node:buffer and node:crypto alone.',
      severity: 'error',
      from: { path: '^core/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|crypto)$' },
    },
    {
      name: 'core-has-rooms',
      comment: 'Every file of core is in a room, except the two lists of public names.',
      severity: 'error',
      from: {},
      to: { path: '^core/', pathNot: `^core/((${ROOMS.join('|')})/|(index|adapter)[.]ts$)` },
    },
    ...ROOMS.map((room, place) => ({
      name: `core-room-${room}`,
      comment: 'Imports between the rooms of core point one way.',
      severity: 'error',
      from: { path: `^core/${room}/`, pathNot: STATE },
      to: { path: `^core/((${ROOMS.slice(place + 1).join('|')})/|(index|adapter)[.]ts$)`, pathNot: STATE },
    })),
    {
      name: 'core-state',
      comment: 'What a subject stores needs no port, and nothing that uses one.',
      severity: 'error',
      from: { path: STATE },
      to: { path: '^core/ports/(ports|clock|log)[.]ts$', reachable: true },
    },
    {
      name: 'core-reading-rooms',
      comment: 'What reads strangers’ bytes is pure, and knows no port.',
      severity: 'error',
      from: { path: `^core/(${READING_ROOMS.join('|')})/` },
      to: { path: `^core/(${ROOMS.slice(ROOMS.indexOf('ports'), -READING_ROOMS.length).join('|')})/` },
    },
    {
      name: 'read-apart',
      comment:
        'Only a reading process imports what reads strangers’ bytes, and the reader for tests. The sandbox holds samples.',
      severity: 'error',
      from: {
        path: '^((adapters|hosts)/|core/[^/]+$)',
        pathNot: `^adapters/sandbox/|${READING_ADAPTERS}`,
      },
      to: { path: `^core/(${READING_ROOMS.join('|')})/` },
    },
    {
      name: 'documents-apart',
      comment: 'Only a reading process imports the adapters that run in one.',
      severity: 'error',
      from: { path: '^(core|adapters|hosts)/', pathNot: READING_ADAPTERS },
      to: { path: READING_ADAPTERS, pathNot: '^adapters/reader/inline-reader[.]ts$' },
    },
    {
      name: 'parsers-apart',
      comment:
        'The same goes for the libraries that parse strangers’ bytes, except in header fields, which are cut before.',
      severity: 'error',
      from: {
        path: '^(core|adapters|hosts)/',
        pathNot: `^core/((${READING_ROOMS.join('|')})/|mail/(charset|header-text)[.]ts$)|${READING_ADAPTERS}|/build[.]mjs$`,
      },
      to: { path: `(^|/)node_modules/(@types/)?(${PARSERS.join('|').replaceAll('.', '[.]')})(/|$)` },
    },
    {
      name: 'adapters-inward',
      comment: 'Adapters import core and themselves.',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: OWN, pathNot: '^(core|adapters)/' },
    },
    {
      name: 'adapters-apart',
      comment:
        'Adapters do not import each other. What talks to servers shares remote; what reads in processes shares process.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: '^adapters/(imap|notices|sqlite|postgres|mail-index)/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1|process|remote)/' },
    },
    {
      name: 'imap-apart',
      comment: 'A mailbox reads by IMAP and sends by SMTP.',
      severity: 'error',
      from: { path: '^adapters/imap/' },
      to: { path: '^adapters/', pathNot: '^adapters/(imap|smtp|remote)/' },
    },
    {
      name: 'notices-apart',
      comment: 'Notices are posted like webhooks, and mailed by SMTP.',
      severity: 'error',
      from: { path: '^adapters/notices/' },
      to: { path: '^adapters/', pathNot: '^adapters/(notices|webhooks|smtp|remote)/' },
    },
    {
      name: 'storage-apart',
      comment: 'The two databases share how a driver is loaded and a row is read, and know no other adapter.',
      severity: 'error',
      from: { path: '^adapters/(sqlite|postgres)/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1|driver|sql)/' },
    },
    {
      name: 'index-apart',
      comment: 'An index is a thread with a file of its own, which it opens with the driver of SQLite.',
      severity: 'error',
      from: { path: '^adapters/mail-index/' },
      to: {
        path: '^adapters/',
        pathNot: '^adapters/(mail-index/|process/installed-worker|sqlite/(driver|private-folder))',
      },
    },
    {
      name: 'hosts-inward',
      comment: 'Only the bundled server names adapters.',
      severity: 'error',
      from: { path: '^hosts/', pathNot: '^hosts/server/' },
      to: { path: OWN, pathNot: '^(core|hosts)/' },
    },
    {
      name: 'server-inward',
      comment: 'What is shipped imports no example and no test.',
      severity: 'error',
      from: { path: '^hosts/server/' },
      to: { path: OWN, pathNot: '^(core|hosts|adapters)/' },
    },
    {
      name: 'embedded-small',
      comment: 'Who embeds the service gets core on Node, nothing else.',
      severity: 'error',
      from: { path: '^hosts/embedded/' },
      to: { dependencyTypesNot: ['core'], pathNot: '^(core|hosts/embedded)/' },
    },
    {
      name: 'browser-pure',
      comment: 'What runs in the owner’s browser reaches no library and nothing of Node.',
      severity: 'error',
      from: { path: '^hosts/dashboard/browser/(page|worker)/' },
      to: { path: '.', pathNot: '^(core|hosts/dashboard)/', reachable: true },
    },
    {
      name: 'no-dev-dependencies',
      comment: 'What is shipped runs without the devDependencies. A build script is not shipped.',
      severity: 'error',
      from: { path: '^(core|adapters|hosts)/', pathNot: '/build[.]mjs$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'type-only'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports nothing and is imported by nothing is left over.',
      severity: 'error',
      from: { orphan: true, path: '^(core|adapters|hosts)/', pathNot: '[.]d[.]ts$' },
      to: {},
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: `${__dirname}/tsconfig.json` },
    // Types count too: a type of a driver in core is a driver in core.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
