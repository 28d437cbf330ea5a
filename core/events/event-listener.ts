import type { StoredEvent } from './event-storage.ts';
import type { SubscribedType } from './webhook-event.ts';

export type EventListener<Type extends SubscribedType> = (event: ListenerEvent<Type>) => unknown;

/** A stored event, as listeners get it. */
export type ListenerEvent<Type extends SubscribedType> = Extract<StoredEvent, { readonly type: Type }> & {
  readonly ownerId: string;
  /** Opaque, at most 40 characters. Save it once the event is handled. */
  readonly cursor: string;
};
