import { spawnSync } from 'node:child_process';

/** The Debian packages of the servers and the browser that the tests use. */
export const SERVER_PACKAGES = [
  'dovecot-imapd',
  'dovecot-lmtpd',
  'postfix',
  'libsasl2-modules',
  'openssl',
  'chromium',
  'radicale',
  'xandikos',
  'nginx-light',
  'caddy',
  'postgresql',
  'pgbouncer',
  // Needed by the conflicting packages.
  'cyrus-common',
  'cyrus-caldav',
  'sasl2-bin',
  'courier-base',
  'courier-authdaemon',
  'courier-authlib-userdb',
  'libgamin0',
  'libidn12',
];

/** They conflict with dovecot-imapd. */
export const CONFLICTING_PACKAGES = ['cyrus-imapd', 'courier-imap'];

/** The programs that `examples/ocr.mjs` runs, and those that draw its picture. */
export const OCR_PACKAGES = ['tesseract-ocr', 'python3-pil', 'fonts-dejavu-core'];

/** The programs and libraries that write the reading corpus. */
export const CORPUS_PACKAGES = {
  documents: [
    'python3-docx',
    'python3-ebooklib',
    'python3-odf',
    'python3-openpyxl',
    'python3-pil',
    'python3-reportlab',
    'python3-uno',
    'python3-xlwt',
    'libreoffice-writer-nogui',
    'libreoffice-calc-nogui',
    'libreoffice-impress-nogui',
    'libreoffice-draw-nogui',
    'groff',
    'fonts-dejavu-core',
  ],
  /** The programs that the benchmark compares with. */
  tools: ['poppler-utils', 'catdoc', 'unzip'],
  messages: ['python3', 'openssl', 'ruby-mail', 'libmime-tools-perl'],
  calendars: [
    'python3-icalendar',
    'python3-tz',
    'tzdata',
    'ruby-icalendar',
    'ruby-tzinfo',
    'libdata-ical-perl',
  ],
} as const;

export function isInstalled(name: string): boolean {
  const query = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
  return query.status === 0 && /^Status: .* installed$/m.test(query.stdout);
}
