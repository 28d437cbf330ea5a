import { newMailScene, openNewMailScene } from './new-mail-scene.ts';

/** A process of the soak of new mail: `new-mail-actor.ts SCENE`, as JSON. It works until stdin ends. */
const scene = newMailScene.parse(JSON.parse(process.argv[2] ?? ''));
const { service } = openNewMailScene(scene, (message, fields) =>
  console.error(new Date().toISOString(), process.pid, message, JSON.stringify(fields)),
);
service.start();
process.stdin.resume().once('end', () => {
  void service.stop().then(() => process.exit());
});
