import { performWebhookAct } from './webhook-act.ts';

/** A process of the crash proof of webhooks. `webhook-actor.ts FOLDER reject|deliver N` kills itself after N calls. */
const [folder = '', step, nth = '0'] = process.argv.slice(2);
await performWebhookAct(folder, step === 'reject' ? 'reject' : 'deliver', Number(nth));
