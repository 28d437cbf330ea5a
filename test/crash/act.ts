import { callWith } from '../open-service.ts';
import { killAfter } from './kill-after.ts';
import { IDEMPOTENCY_KEY, readScene, sceneParts, sceneService } from './scene.ts';

/**
 * Performs the act of the scene in this folder, and kills this process with SIGKILL right after its n-th port call (0: it
 * runs to the end). Each port call that ended adds a line to `trace`.
 */
export async function performAct(folder: string, nth: number): Promise<void> {
  const scene = readScene(folder);
  const parts = sceneParts(folder, scene.mail);
  const counted = killAfter(nth, folder);
  const service = sceneService({
    storage: counted('storage', parts.storage),
    mail: counted('mail', parts.mail),
    ...(parts.calendar === undefined ? {} : { calendar: counted('calendar', parts.calendar) }),
  });
  const { act, ownerId, apiKey } = scene;
  if (act.mode === 'watch') await service.watch();
  else if (act.mode === 'approve') {
    const { approvalId, digest, draft } = act;
    if (draft === undefined) await service.approvals.approve(ownerId, approvalId, digest);
    else await service.approvals.approveChanged(ownerId, approvalId, digest, draft);
  } else await callWith(service, apiKey, act.tool, act.args, IDEMPOTENCY_KEY);
  await service.stop();
}
