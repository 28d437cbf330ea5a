/** The fields of the form that turns on notices in a browser, which the page's script fills in. */
export const PUSH_FIELDS = ['endpoint', 'p256dh', 'auth'] as const;

export type PushField = (typeof PUSH_FIELDS)[number];
