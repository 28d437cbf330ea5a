import { performAct } from './act.ts';

/** A process of the crash proof. `actor.ts FOLDER N` performs the act of the scene and kills itself after N port calls. */
const [folder = '', nth = '0'] = process.argv.slice(2);
await performAct(folder, Number(nth));
