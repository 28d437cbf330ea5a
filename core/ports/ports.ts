import type { OptionTypes } from '../contract/options.ts';
import type { Random } from '../secrets/random.ts';
import type { AttachmentText } from './attachment-text.ts';
import type { Calendar } from './calendar.ts';
import type { Clock } from './clock.ts';
import type { DocumentSource } from './document-source.ts';
import type { Log } from './log.ts';
import type { MailChanging } from './mail-changing.ts';
import type { MailConnections } from './mail-connections.ts';
import type { MailIndex } from './mail-index.ts';
import type { MailProvider } from './mail-provider.ts';
import type { MailReading } from './mail-reading.ts';
import type { MailSending } from './mail-sending.ts';
import type { MailWatching } from './mail-watching.ts';
import type { NoticeSender } from './notice-sender.ts';
import type { Reader } from './reader.ts';
import type { Storage } from './storage.ts';
import type { Summarizer } from './summarizer.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { WorkObserver } from './work-observer.ts';

/**
 * A mailbox and its sender. One object serves all accounts.
 * @typeParam Settings  what `accounts.connect` takes as `settings`; an adapter still checks them when it connects
 */
export interface Mail<Settings = unknown>
  extends MailConnections,
    MailReading,
    MailChanging,
    MailSending,
    MailWatching {
  /** Only for the compiler. It has no value. */
  readonly Settings?: Settings;
}

/** Everything that core needs from outside. An adapter implements one of them. */
export interface Ports {
  /** Without it, the text of attachments cannot be read. */
  readonly attachmentText?: AttachmentText;
  readonly storage: Storage;
  readonly mail: Mail;
  /** Without it, every search asks the mail server. */
  readonly mailIndex?: MailIndex;
  /** Reads untrusted input. */
  readonly reader: Reader;
  /** Without it, no calendar can be connected. */
  readonly calendar?: Calendar;
  /** Without it, summaries of trackers are sentences taken from the messages. */
  readonly summarizer?: Summarizer;
  /** Without it, no webhook endpoint can be added. */
  readonly webhookSender?: WebhookSender;
  /** Without it, owners get no notices that something waits. */
  readonly noticeSender?: NoticeSender;
  /** Providers where owners sign in to their mailboxes. Without it, every account has a password. */
  readonly mailProviders?: readonly MailProvider[];
  /** Without it, only clients that register themselves can ask for a sign-in. */
  readonly documentSource?: DocumentSource;
  readonly workObserver?: WorkObserver;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The ports as options of a service. */
export const PORTS: OptionTypes<Ports> = {
  mail: ['required', 'object'],
  mailIndex: ['optional', 'object'],
  reader: ['required', 'object'],
  calendar: ['optional', 'object'],
  attachmentText: ['optional', 'object'],
  documentSource: ['optional', 'object'],
  clock: ['required', 'object'],
  random: ['required', 'function'],
  log: ['required', 'object'],
  storage: ['required', 'object'],
  summarizer: ['optional', 'object'],
  webhookSender: ['optional', 'object'],
  noticeSender: ['optional', 'object'],
  mailProviders: ['optional', 'object'],
  workObserver: ['optional', 'object'],
};
