import { callWith } from '../open-service.ts';
import { readScene, sceneParts, sceneService } from './scene.ts';

/**
 * An app that performs the act of the scene. On SIGTERM it stops the service and nothing else, so it ends once the service
 * keeps nothing alive. `stopped-app.ts FOLDER [MS]`: MS is what `stop` gets.
 */
const [folder = '', withinMs] = process.argv.slice(2);
const { mail, act, apiKey } = readScene(folder);
if (act.mode !== 'direct') throw new Error('the act must be a call');
const service = sceneService(sceneParts(folder, mail));
service.start();
process.once('SIGTERM', () => void service.stop(withinMs === undefined ? undefined : Number(withinMs)));
await callWith(service, apiKey, act.tool, act.args);
