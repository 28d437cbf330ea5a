import type { LookUpPorts, OwnPorts, RunPorts } from '../accounts/tool-ports.ts';
import type { RequestSummary } from '../call/context.ts';
import type { Cursors } from '../call/cursors.ts';
import type { MessageHandles } from '../call/message-handles.ts';
import type { RecordRead } from '../call/read-recorder.ts';
import type { Executor } from '../execution/execute-approval.ts';
import type { OpenWords } from '../execution/sealed-words.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { ApprovalWaits } from './approval-waits.ts';

/** What every call works with. */
export interface CallDependencies {
  readonly ports: Ports;
  readonly lookUps: LookUpPorts;
  readonly ownPorts: OwnPorts;
  readonly runPorts: RunPorts;
  readonly keyring: Keyring;
  readonly recordRead: RecordRead;
  readonly cursors: Cursors;
  readonly handles: MessageHandles;
  readonly executor: Executor;
  readonly waits: ApprovalWaits;
  readonly dashboardUrl: string;
  readonly ownerWords: OpenWords;
  readonly requestSummary: RequestSummary;
  readonly leaseMs: number;
  /** Notifies that something waits for the owner. */
  readonly onPending: (notice: { ownerId: string; approvalId: string }) => void;
}
