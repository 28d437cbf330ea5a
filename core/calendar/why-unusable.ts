/** Why Countersign cannot use a calendar, for the owner. Follows its name. */
export const WHY_UNUSABLE = {
  refused: 'cannot be read: its server refuses.',
  subscribed: 'is subscribed. Countersign reads the calendars that the server keeps itself.',
  no_events: 'cannot hold events.',
} as const;

/** `refused`: by its server. `subscribed`: the server only has its address. `no_events`: it holds something else. */
export type UnusableReason = keyof typeof WHY_UNUSABLE;
