import type { EventContent } from '../events/webhook-event.ts';

/** What happened, for programs. Source: API.md, Events. */
export type StoredEvent = EventContent & {
  /** Counts per owner, from 1. */
  readonly sequence: number;
  /** `evt_` and 22 characters. */
  readonly id: string;
  /** Whose endpoints are told. Null: those of every key of the owner. */
  readonly credentialId: string | null;
  readonly createdAt: Date;
};
