import { isLoopback } from '../remote/mail-server.ts';
import { isWithin } from './domain.ts';

/** A mail provider whose settings ship with Countersign. */
export interface Provider {
  readonly name: string;
  /** The domains of its email addresses. */
  readonly domains: readonly string[];
  /** The id of the sign-in that the operator may have set up for it. */
  readonly signIn?: 'google' | 'microsoft';
  /** A domain whose MX is under one of these is hosted by this provider, with the same settings. */
  readonly mx: readonly string[];
  readonly access:
    | {
        readonly imap: KnownServer;
        readonly smtp: KnownServer;
        /** The IMAP user name, if it is not the address. */
        readonly imapUser?: 'local_part';
        /** CalDAV URL, for the same user and password as SMTP. */
        readonly caldav?: string;
        readonly notes: readonly string[];
      }
    /** Why Countersign cannot connect it. */
    | { readonly none: string };
}

type KnownServer = readonly [host: string, port: number, security: 'tls' | 'starttls'];

const IMAPS = 993;
const SUBMISSIONS = 465;
const SUBMISSION = 587;

/** The usual case: TLS from the first byte, on the ports of RFC 8314. */
function usual(imapHost: string, smtpHost: string, ...notes: string[]): Provider['access'] {
  return { imap: [imapHost, IMAPS, 'tls'], smtp: [smtpHost, SUBMISSIONS, 'tls'], notes };
}

const appPassword = (name: string, page: string) =>
  `${name} only accepts an app password, not your account password: ${page}`;
const switchOn = (name: string) =>
  `First turn on IMAP in the settings of your ${name} mailbox, on its website.`;
const ifTwoFactor = (name: string) =>
  `If two-factor sign-in is on, ${name} only accepts an app password, not your account password.`;

function withCalendar(access: Provider['access'], caldav: string): Provider['access'] {
  return 'none' in access ? access : { ...access, caldav };
}

/** Source: the providers' help pages, and Thunderbird's table (ISPDB). */
const PROVIDERS: readonly Provider[] = [
  {
    name: 'Gmail',
    domains: ['gmail.com', 'googlemail.com'],
    mx: ['google.com', 'googlemail.com'],
    signIn: 'google',
    access: usual(
      'imap.gmail.com',
      'smtp.gmail.com',
      appPassword('Google', 'https://myaccount.google.com/apppasswords (two-step verification must be on).'),
      "Google's calendar does not take passwords. It needs the sign-in with Google, which the operator of this installation can set up.",
    ),
  },
  {
    name: 'Microsoft (Outlook.com, Microsoft 365)',
    domains: [
      ...['outlook.com', 'outlook.de', 'outlook.fr', 'outlook.es', 'outlook.it', 'outlook.jp', 'outlook.at'],
      ...['hotmail.com', 'hotmail.co.uk', 'hotmail.de', 'hotmail.fr', 'hotmail.it', 'hotmail.es'],
      ...['live.com', 'live.co.uk', 'live.de', 'live.fr', 'live.it', 'live.nl', 'live.se', 'live.dk'],
      ...['msn.com', 'windowslive.com', 'passport.com', 'onmicrosoft.com'],
    ],
    mx: ['outlook.com', 'mx.microsoft', 'office365.us'],
    signIn: 'microsoft',
    access: {
      none:
        'Microsoft no longer accepts passwords for IMAP and SMTP, not even app passwords. It needs the sign-in with ' +
        'Microsoft, which the operator of this installation has not set up (mailProviders).',
    },
  },
  {
    name: 'Yahoo',
    domains: [
      ...['yahoo.com', 'yahoo.co.uk', 'yahoo.de', 'yahoo.fr', 'yahoo.it', 'yahoo.es', 'yahoo.se', 'yahoo.ca'],
      ...['yahoo.co.in', 'yahoo.co.nz', 'yahoo.com.au', 'yahoo.com.ar', 'yahoo.com.br', 'yahoo.com.mx'],
      ...['ymail.com', 'rocketmail.com', 'myyahoo.com'],
    ],
    mx: ['am0.yahoodns.net'],
    access: withCalendar(
      usual(
        'imap.mail.yahoo.com',
        'smtp.mail.yahoo.com',
        appPassword('Yahoo', 'https://login.yahoo.com/account/security (App passwords).'),
      ),
      'https://caldav.calendar.yahoo.com/',
    ),
  },
  {
    name: 'AOL',
    domains: ['aol.com', 'aol.co.uk', 'aol.de', 'aol.fr', 'aim.com', 'netscape.net', 'verizon.net'],
    mx: ['gm0.yahoodns.net'],
    access: usual(
      'imap.aol.com',
      'smtp.aol.com',
      appPassword('AOL', 'https://login.aol.com/account/security (App passwords).'),
    ),
  },
  {
    name: 'iCloud',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mx: [],
    access: {
      imap: ['imap.mail.me.com', IMAPS, 'tls'],
      smtp: ['smtp.mail.me.com', SUBMISSION, 'starttls'],
      imapUser: 'local_part',
      caldav: 'https://caldav.icloud.com/',
      notes: [
        appPassword('Apple', 'https://account.apple.com (Sign-In and Security, App-Specific Passwords).'),
      ],
    },
  },
  {
    name: 'iCloud with a custom domain',
    domains: [],
    mx: ['mail.icloud.com'],
    access: {
      imap: ['imap.mail.me.com', IMAPS, 'tls'],
      smtp: ['smtp.mail.me.com', SUBMISSION, 'starttls'],
      caldav: 'https://caldav.icloud.com/',
      notes: [
        appPassword('Apple', 'https://account.apple.com (Sign-In and Security, App-Specific Passwords).'),
        'The user name for all servers is your iCloud address, not the one at your own domain. Correct it before you connect.',
      ],
    },
  },
  {
    name: 'Fastmail',
    domains: [
      'fastmail.com',
      'fastmail.fm',
      'fastmail.net',
      'fastmail.org',
      'fastmail.de',
      'sent.com',
      'pobox.com',
    ],
    mx: ['messagingengine.com'],
    access: withCalendar(
      usual(
        'imap.fastmail.com',
        'smtp.fastmail.com',
        appPassword('Fastmail', 'Settings, Privacy & Security, Manage app passwords.'),
      ),
      'https://caldav.fastmail.com/',
    ),
  },
  {
    name: 'GMX',
    domains: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch', 'gmx.eu', 'gmx.org', 'gmx.info', 'gmx.biz'],
    mx: ['gmx.net'],
    access: withCalendar(
      usual('imap.gmx.net', 'mail.gmx.net', switchOn('GMX'), ifTwoFactor('GMX')),
      'https://caldav.gmx.net/',
    ),
  },
  {
    name: 'GMX.com',
    domains: ['gmx.com', 'gmx.us', 'gmx.co.uk', 'gmx.fr', 'gmx.es', 'gmx.it'],
    mx: [],
    access: withCalendar(
      usual('imap.gmx.com', 'mail.gmx.com', switchOn('GMX'), ifTwoFactor('GMX')),
      'https://caldav.gmx.com/',
    ),
  },
  {
    name: 'WEB.DE',
    domains: ['web.de'],
    mx: ['web.de'],
    access: {
      imap: ['imap.web.de', IMAPS, 'tls'],
      smtp: ['smtp.web.de', SUBMISSION, 'starttls'],
      caldav: 'https://caldav.web.de/',
      notes: [switchOn('WEB.DE'), ifTwoFactor('WEB.DE')],
    },
  },
  {
    name: 'mail.com',
    domains: ['mail.com', 'email.com'],
    mx: ['mail.com'],
    access: usual('imap.mail.com', 'smtp.mail.com', switchOn('mail.com')),
  },
  {
    name: 'T-Online',
    domains: ['t-online.de', 'magenta.de'],
    mx: ['t-online.de'],
    access: usual(
      'secureimap.t-online.de',
      'securesmtp.t-online.de',
      'Telekom requires the email password that you set in its customer centre, not your account password.',
    ),
  },
  {
    name: 'freenet',
    domains: ['freenet.de'],
    mx: ['freenet.de'],
    access: usual('mx.freenet.de', 'mx.freenet.de', switchOn('freenet')),
  },
  {
    name: 'Posteo',
    domains: ['posteo.de', 'posteo.net', 'posteo.org', 'posteo.eu', 'posteo.at', 'posteo.ch'],
    mx: ['posteo.de'],
    access: withCalendar(usual('posteo.de', 'posteo.de'), 'https://posteo.de:8443/'),
  },
  {
    name: 'mailbox.org',
    domains: ['mailbox.org'],
    mx: ['mailbox.org'],
    access: withCalendar(
      usual('imap.mailbox.org', 'smtp.mailbox.org', ifTwoFactor('mailbox.org')),
      'https://dav.mailbox.org/',
    ),
  },
  {
    name: 'Proton Mail, through Proton Mail Bridge',
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    mx: ['protonmail.ch'],
    access: {
      imap: ['127.0.0.1', 1143, 'starttls'],
      smtp: ['127.0.0.1', 1025, 'starttls'],
      notes: [
        'Proton Mail Bridge must run on this machine. Use the ports and the mailbox password that it shows, not the ' +
          'password of your Proton account.',
        'Bridge uses a self-signed certificate. Export it (Settings, Advanced) and enter its SHA-256 fingerprint.',
      ],
    },
  },
  {
    name: 'Tuta',
    domains: ['tuta.com', 'tuta.io', 'tutanota.com', 'tutanota.de', 'tutamail.com', 'keemail.me'],
    mx: ['tutanota.de'],
    access: { none: 'Tuta offers neither IMAP nor SMTP, so its mailboxes cannot be connected.' },
  },
  ...(['com', 'eu', 'in'] as const).flatMap((region): Provider[] => [
    {
      name: 'Zoho Mail',
      domains: [`zoho.${region}`, `zohomail.${region}`],
      mx: [],
      access: usual(`imap.zoho.${region}`, `smtp.zoho.${region}`, switchOn('Zoho'), ifTwoFactor('Zoho')),
    },
    {
      name: 'Zoho Mail for organisations',
      domains: [],
      mx: [`zoho.${region}`],
      access: usual(
        `imappro.zoho.${region}`,
        `smtppro.zoho.${region}`,
        switchOn('Zoho'),
        ifTwoFactor('Zoho'),
      ),
    },
  ]),
  {
    name: 'Yandex',
    domains: ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'ya.ru', 'narod.ru'],
    mx: ['yandex.ru', 'yandex.net'],
    access: withCalendar(
      usual(
        'imap.yandex.com',
        'smtp.yandex.com',
        switchOn('Yandex'),
        appPassword('Yandex', 'https://id.yandex.com/security/app-passwords'),
      ),
      'https://caldav.yandex.ru/',
    ),
  },
  {
    name: 'Mail.ru',
    domains: ['mail.ru', 'inbox.ru', 'list.ru', 'bk.ru', 'internet.ru'],
    mx: ['mail.ru'],
    access: usual(
      'imap.mail.ru',
      'smtp.mail.ru',
      appPassword('Mail.ru', 'https://account.mail.ru/user/2-step-auth/passwords'),
    ),
  },
  {
    name: 'QQ Mail',
    domains: ['qq.com', 'foxmail.com'],
    mx: ['qq.com'],
    access: usual(
      'imap.qq.com',
      'smtp.qq.com',
      'QQ requires an authorisation code instead of your password. Its website shows the code when you turn on IMAP.',
    ),
  },
  {
    name: 'Orange',
    domains: ['orange.fr', 'wanadoo.fr'],
    mx: ['orange.fr'],
    access: usual('imap.orange.fr', 'smtp.orange.fr'),
  },
  { name: 'Free', domains: ['free.fr'], mx: ['free.fr'], access: usual('imap.free.fr', 'smtp.free.fr') },
  {
    name: 'Comcast',
    domains: ['comcast.net'],
    mx: ['comcast.net'],
    access: usual(
      'imap.comcast.net',
      'smtp.comcast.net',
      'First turn on third-party access in the settings of your Xfinity mailbox, on its website.',
    ),
  },
  {
    name: 'Migadu',
    domains: [],
    mx: ['migadu.com'],
    access: withCalendar(usual('imap.migadu.com', 'smtp.migadu.com'), 'https://cdav.migadu.com/'),
  },
  {
    name: 'Infomaniak',
    domains: ['ik.me', 'ikmail.com'],
    mx: ['infomaniak.ch'],
    access: withCalendar(
      usual('mail.infomaniak.com', 'mail.infomaniak.com', ifTwoFactor('Infomaniak')),
      'https://sync.infomaniak.com/',
    ),
  },
  { name: 'Gandi', domains: [], mx: ['gandi.net'], access: usual('mail.gandi.net', 'mail.gandi.net') },
  { name: 'STRATO', domains: [], mx: ['rzone.de'], access: usual('imap.strato.de', 'smtp.strato.de') },
  {
    name: 'Hetzner',
    domains: [],
    mx: ['your-server.de'],
    access: usual('mail.your-server.de', 'mail.your-server.de'),
  },
  {
    name: 'Rackspace',
    domains: [],
    mx: ['emailsrvr.com'],
    access: usual('secure.emailsrvr.com', 'secure.emailsrvr.com'),
  },
  {
    name: 'Namecheap Private Email',
    domains: [],
    mx: ['privateemail.com'],
    access: usual('mail.privateemail.com', 'mail.privateemail.com'),
  },
];

/** @param domain  lower-case ASCII */
export function providerOfDomain(domain: string): Provider | undefined {
  return PROVIDERS.find(({ domains }) => domains.includes(domain));
}

/** @param mx  a host that receives mail for the domain */
export function providerOfMx(mx: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.mx.some((domain) => isWithin(mx, domain)));
}

/** The provider that a server belongs to. Its certificates always verify. @param host  lower-case ASCII */
export function providerOfHost(host: string): Provider | undefined {
  return PROVIDERS.find(({ access, domains, mx }) => {
    if ([...domains, ...mx].some((domain) => isWithin(host, domain))) return true;
    if ('none' in access) return false;
    const { imap, smtp, caldav } = access;
    const hosts = [imap[0], smtp[0], ...(caldav === undefined ? [] : [new URL(caldav).hostname])];
    // Proton Mail Bridge runs on this machine.
    return hosts.includes(host) && !isLoopback(host);
  });
}
