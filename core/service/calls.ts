import { type Failure, failure, failureOf } from '../call/outcome.ts';
import { ServiceStoppedError } from '../contract/errors.ts';
import { createAddressBudget } from '../gate/address-budget.ts';
import { secretHash } from '../gate/credential.ts';
import type { LimitVerdict } from '../gate/limits.ts';
import { effectiveMode, GROUPS, type Group } from '../gate/permissions.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';
import { CATALOGUE } from '../tools/catalogue.ts';
import { listingOf, type ToolListing } from '../tools/define-tool.ts';
import { unavailable } from './call-tool.ts';
import type { Life } from './life.ts';
import type { Calls } from './service.ts';

/** Per minute and address group. Source: API-NOTES.md, order of refusals. */
const CALLS_WITHOUT_KEY = 60;

const LISTED = CATALOGUE.map((tool) => ({ group: tool.group, listing: listingOf(tool) }));

/** @param isAccepted whether a text has the form of the secrets that the door accepts */
export function createCalls(
  { storage, clock, random, log }: Ports,
  signer: Signer,
  keysSigned: () => Promise<void>,
  leaseMs: number,
  callTool: Calls['runTool'],
  endWaits: Calls['endWaits'],
  life: Life,
  isAccepted: (token: string) => boolean,
): Calls {
  const keylessCalls = createAddressBudget(CALLS_WITHOUT_KEY);
  const slotId = slotIds(random);
  /** By the groups that are on: at most 1024. */
  const lists = new Map<string, readonly ToolListing[]>();
  return {
    async admitCaller({ token, address: from }) {
      const now = clock.now();
      if (life.isStopping) {
        const failure = failureOf(new ServiceStoppedError());
        return { kind: 'refused', failure, rate: keylessCalls.take(from, now).rate };
      }
      if (token !== undefined && isAccepted(token)) {
        try {
          await keysSigned();
          const admitted = await storage.admit({
            secretHash: secretHash(token),
            slotId: slotId(),
            leaseMs,
            signer,
            now,
          });
          if (admitted.kind === 'admitted') return admitted;
          if (admitted.kind === 'altered') {
            log.error('a key was changed outside Countersign, and is refused', {
              key: admitted.credentialId,
            });
          }
          if (admitted.kind === 'over') {
            const { retryAfterS, rate } = admitted.verdict;
            return { kind: 'over', failure: overLimit(admitted.verdict), retryAfterS, rate };
          }
        } catch (error) {
          log.error('a call could not be admitted', errorName(error));
          return {
            kind: 'refused',
            failure: failureOf(unavailable(error)),
            rate: keylessCalls.take(from, now).rate,
          };
        }
      }
      const { within, rate } = keylessCalls.take(from, now);
      const refusal = within
        ? failure('invalid_token')
        : failure('rate_limited', { retry_after_s: rate.resetS });
      return { kind: 'refused', failure: refusal, rate };
    },
    runTool: callTool,
    endWaits,
    async endCall(caller, outcome) {
      const now = clock.now();
      await storage.finish({
        caller: { ownerId: caller.owner.ownerId, credentialId: caller.credential.credentialId },
        slotId: caller.slotId,
        claim: null,
        activity: {
          kind: 'call',
          credentialId: caller.credential.credentialId,
          tool: null,
          outcome,
          approvalId: null,
          durationMs: 0,
          shown: [],
          listed: [],
        },
        now,
      });
    },
    tools({ credential, owner }) {
      const isOn = (group: Group | null) =>
        group === null || effectiveMode(group, credential.modes[group], owner.plan) !== 'off';
      const groupsOn = GROUPS.filter(isOn).join();
      const list =
        lists.get(groupsOn) ?? LISTED.filter(({ group }) => isOn(group)).map(({ listing }) => listing);
      lists.set(groupsOn, list);
      return list;
    },
  };
}

/** Ids that are unique among all processes: a random name of this service, and a number. */
function slotIds(random: Ports['random']): () => string {
  const service = Buffer.from(random(12)).toString('base64url');
  let last = 0;
  return () => {
    last += 1;
    return `${service}.${last}`;
  };
}

function overLimit({ code, retryAfterS, resetsAt }: Extract<LimitVerdict, { kind: 'over' }>): Failure {
  const retry = { retry_after_s: retryAfterS };
  return code === 'daily_limit_reached'
    ? failure(code, { ...retry, resets_at: resetsAt.toISOString() })
    : failure(code, retry);
}
