import type { EventContent } from '../events/webhook-event.ts';

/** An event for programs. */
export type StoredEvent = EventContent & {
  /** Counted per owner, from 1. */
  readonly sequence: number;
  /** `evt_` and 22 characters. */
  readonly id: string;
  /** The key whose endpoints receive it. Null: the endpoints of every key of the owner. */
  readonly credentialId: string | null;
  readonly createdAt: Date;
};
