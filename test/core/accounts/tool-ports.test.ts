import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { lookUpPorts, ownPorts, runPorts } from '../../../core/accounts/tool-ports.ts';
import type { Ports } from '../../../core/ports/ports.ts';
import { eventsOn } from '../../events-on.ts';
import { silentLog, testClock } from '../../open-service.ts';

function ports(): Ports {
  return {
    storage: sqliteStorage({ file: ':memory:' }),
    mail: sandboxMail({ samples: () => [] }),
    calendar: eventsOn(sandboxCalendar({ samples: [] })),
    reader: inlineReader(),
    clock: testClock(),
    random: (bytes) => randomBytes(bytes),
    log: silentLog,
  };
}

/** The methods that change a mailbox, a calendar, or the state of a request. */
const CHANGES = {
  mail: ['transmit', 'saveSent', 'move', 'label', 'createFolder', 'setFlag'],
  calendar: ['write', 'remove'],
  storage: ['decide', 'start', 'settle', 'file', 'cancel', 'setModes', 'createTracker', 'setTrackerStatus'],
} as const;

describe('the ports of a call', () => {
  it.each(['mail', 'calendar', 'storage'] as const)('cannot change anything in %s', (port) => {
    const given = lookUpPorts(ports())[port];
    for (const name of CHANGES[port]) expect(given).not.toHaveProperty(name);
  });

  it('can withdraw a request of its own key, and nothing else, if its tool does', () => {
    const { storage, mail } = ownPorts(ports());
    expect(storage).toHaveProperty('cancel');
    for (const name of ['decide', 'start', 'settle', 'file']) expect(storage).not.toHaveProperty(name);
    expect(mail).not.toHaveProperty('transmit');
  });
});

describe('the ports of a run', () => {
  it('change mail, events and trackers, and cannot decide or settle', () => {
    const { mail, calendar, storage } = runPorts(ports());
    for (const name of CHANGES.mail) expect(mail).toHaveProperty(name);
    for (const name of CHANGES.calendar) expect(calendar).toHaveProperty(name);
    for (const name of ['createTracker', 'setTrackerStatus', 'linkToTracker']) {
      expect(storage).toHaveProperty(name);
    }
    for (const name of ['decide', 'start', 'settle', 'file', 'setModes']) {
      expect(storage).not.toHaveProperty(name);
    }
  });
});
