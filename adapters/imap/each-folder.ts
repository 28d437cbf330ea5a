import type { AccountConnections } from './account-connections.ts';
import { isNotFound, isRefused } from './failure.ts';
import type { MissingParts } from './missing-parts.ts';
import { inFolder, type OpenFolder, type WantedFolder } from './session.ts';

/** More connections at once do not make a server faster, and leave none for other calls. */
const PARALLEL = 3;

/**
 * Runs `work` in several folders at once.
 * @param missing  collects the folders that the server refuses for good. Undefined: a refusal is a failure
 * @returns the results in the order of `folders`; undefined for a folder that is missing, or does not exist (any more)
 * @throws MailError the first failure; no other folder is started after it
 */
export async function inEachFolder<F extends WantedFolder, T>(
  connections: AccountConnections,
  folders: readonly F[],
  limit: AbortSignal,
  work: (open: OpenFolder, folder: F) => Promise<T>,
  missing?: MissingParts,
): Promise<(T | undefined)[]> {
  const answers = new Array<T | undefined>(folders.length).fill(undefined);
  const failures: unknown[] = [];
  const left = folders.entries();
  const worker = async () => {
    for (const [index, folder] of left) {
      if (failures.length > 0) return;
      try {
        answers[index] = await inFolder(connections, folder, limit, (open) => work(open, folder));
      } catch (error) {
        if (missing !== undefined && isRefused(error)) missing.refuse(folder.path, error);
        else if (!isNotFound(error)) failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, folders.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return answers;
}
