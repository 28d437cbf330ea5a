import type { Calendar } from '../ports/calendar.ts';
import type { MailChanging } from '../ports/mail-changing.ts';
import type { MailSending } from '../ports/mail-sending.ts';
import type { Ports } from '../ports/ports.ts';
import type { Storage } from '../ports/storage.ts';
import { type MailReader, mailReader } from './mail-reader.ts';
import { pickMethods } from './pick-methods.ts';

/**
 * The ports that tools receive. A call only looks things up; a run changes what its plan says. The objects have no
 * other methods, so a tool cannot send, decide or settle by mistake, even if its types are wrong.
 */

const CALENDAR_LOOK_UPS = ['calendars', 'list', 'read', 'target'] as const;

/** Some of these save what they find: event numbers, folder roles, recipients found in Sent. */
const STORAGE_LOOK_UPS = [
  'approval',
  'approvals',
  'changeFolderRoles',
  'event',
  'eventNumbers',
  'gists',
  'knownDomains',
  'knownRecipients',
  'relocatedAmong',
  'rememberRecipients',
  'tracker',
  'trackers',
] as const;

const MAIL_CHANGES = ['createFolder', 'label', 'move', 'saveSent', 'setFlag', 'transmit'] as const;

const STORAGE_CHANGES = [...STORAGE_LOOK_UPS, 'createTracker', 'linkToTracker', 'setTrackerStatus'] as const;

/** For a call that withdraws a request of its own key. */
export interface OwnPorts extends LookUpPorts {
  readonly storage: LookUpPorts['storage'] & Pick<Storage, 'cancel'>;
}

/** For a call: it reads, and plans changes. */
export interface LookUpPorts extends Pick<Ports, 'attachmentText' | 'clock' | 'log' | 'random' | 'reader'> {
  readonly mail: MailReader;
  readonly calendar?: Pick<Calendar, (typeof CALENDAR_LOOK_UPS)[number] | 'documents'>;
  readonly storage: Pick<Storage, (typeof STORAGE_LOOK_UPS)[number]>;
}

/** For a run: it carries out the plan. */
export interface RunPorts extends Omit<LookUpPorts, 'calendar' | 'mail' | 'storage'> {
  readonly mail: MailReader & MailChanging & MailSending;
  readonly calendar?: Calendar;
  readonly storage: Pick<Storage, (typeof STORAGE_CHANGES)[number]>;
}

export function lookUpPorts(ports: Ports): LookUpPorts {
  const { calendar } = ports;
  return {
    ...readers(ports),
    mail: mailReader(ports.mail, ports.clock),
    ...(calendar === undefined
      ? {}
      : { calendar: { ...pickMethods(calendar, CALENDAR_LOOK_UPS), documents: calendar.documents } }),
    storage: pickMethods(ports.storage, STORAGE_LOOK_UPS),
  };
}

export function ownPorts(ports: Ports): OwnPorts {
  return { ...lookUpPorts(ports), storage: pickMethods(ports.storage, [...STORAGE_LOOK_UPS, 'cancel']) };
}

export function runPorts(ports: Ports): RunPorts {
  const { calendar } = ports;
  return {
    ...readers(ports),
    mail: { ...mailReader(ports.mail, ports.clock), ...pickMethods(ports.mail, MAIL_CHANGES) },
    ...(calendar === undefined ? {} : { calendar }),
    storage: pickMethods(ports.storage, STORAGE_CHANGES),
  };
}

function readers({ attachmentText, clock, log, random, reader }: Ports) {
  return { clock, log, random, reader, ...(attachmentText === undefined ? {} : { attachmentText }) };
}
