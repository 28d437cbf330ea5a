import { casesOf } from '../only-long.ts';
import { crashProof } from './proof.ts';
import { CHANGED, INVITE, look, lookFor, prepare, SEND } from './sandbox-scene.ts';

/** The calls that decide what is found afterwards: `judge` knows them. */
const DECIDING = {
  approve: [
    'storage.decide',
    'storage.start',
    'mail.transmit',
    'storage.settle',
    'storage.linkToTracker',
  ] as readonly string[],
  direct: ['storage.file', 'storage.start', 'storage.settle'] as readonly string[],
};

for (const mode of ['approve', 'direct'] as const) {
  crashProof('sandbox', mode, {
    mailbox: async () => undefined,
    prepare: (folder) => prepare(folder, mode, SEND),
    look: async (folder) => {
      const { transmitted, inSent, linked } = await look(folder);
      return { transmitted, inSent, linked };
    },
    unknownFrom: 'storage.start',
    inGate: (call, nth) => nth === 1 || DECIDING[mode].includes(call),
  });
}
for (const mode of casesOf('crash: stages', ['approve', 'direct'] as const, (mode) => mode === 'approve')) {
  crashProof('sandbox calendar', mode, {
    mailbox: async () => undefined,
    prepare: (folder) => prepare(folder, mode, INVITE),
    look,
    unknownFrom: 'calendar.write',
    inGate: (call) => call === 'storage.start' || call === 'calendar.write',
  });
}

crashProof('sandbox, with changes of the owner', 'approve', {
  mailbox: async () => undefined,
  prepare: (folder) => prepare(folder, 'approve', SEND, CHANGED),
  look: async (folder) => {
    const { transmitted, inSent, linked } = await lookFor(folder, CHANGED.subject ?? '');
    return { transmitted, inSent, linked };
  },
  unknownFrom: 'storage.start',
  inGate: (call) => call === 'storage.decide',
});
