import * as z from 'zod';
import { type ActionGist, storedGist } from '../actions/gist.ts';
import type { Approval } from '../approvals/approval.ts';
import { type NamedFinding, namedFinding, namesOf } from '../safety/finding.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';

/** Seals gists for storage, with the names of the findings, for their owner and their approval, like plans. */

/** An opened gist. */
export interface OpenedGist {
  readonly gist: ActionGist;
  /** The findings of the plan. Undefined: it was sealed by a version that did not keep their names. */
  readonly findings: readonly NamedFinding[] | undefined;
}

const sealed = z.looseObject({ findings: z.array(namedFinding).optional() });

export function sealGist(
  keyring: Keyring,
  ownerId: string,
  approvalId: string,
  gist: ActionGist,
  findings: readonly NamedFinding[],
): string {
  const text = JSON.stringify({ ...gist, findings: namesOf(findings) });
  return keyring.seal(STORED.gist, `${ownerId}\n${approvalId}`, text);
}

/** @throws Error if it was not sealed for this approval, its key is not in the ring, or a different version wrote it */
export function openGist(
  keyring: Keyring,
  { ownerId, id }: Pick<Approval, 'ownerId' | 'id'>,
  sealedGist: string,
): OpenedGist {
  const text = keyring.open(STORED.gist, `${ownerId}\n${id}`, sealedGist);
  const { findings, ...gist } = sealed.parse(JSON.parse(text));
  return { gist: storedGist.parse(gist), findings };
}
