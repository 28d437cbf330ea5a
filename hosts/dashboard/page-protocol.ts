/** What the pages and their script agree on. */

/** What a page tells its script: the data attributes of the script's tag. */
export interface ScriptData {
  /** The session whose forms are signed, and the public half of its key. */
  readonly session: string;
  readonly key: string;
  /** The path of the page's socket, if the server takes sockets. */
  readonly socket: string;
  /** The version of the requests, on pages that show some. */
  readonly version: string;
  /** After how many seconds the page fetches itself again. */
  readonly refresh: number;
  /** The path of the service worker, on pages of a signed-in owner. */
  readonly worker: string;
}

export type ScriptAttributes = {
  readonly [Name in keyof ScriptData as `data-${Name}`]: ScriptData[Name] | null | undefined;
};

/** The ids of elements that the script reads or fills in. */
export const ID = {
  waitingCount: 'waiting-count',
  /** Read out by screen readers. */
  announcement: 'announcement',
  /** Says that the requests to choose from have changed. */
  changed: 'changed',
  /** The requests to choose from. */
  members: 'members',
  firstCall: 'first-call',
  pushStatus: 'push-status',
} as const;

/** The attributes of parts that the script works on. */
export const DATA = {
  /** Of a form that subscribes to notices: the key to subscribe with. */
  pushKey: 'data-push-key',
  /** Of a notice channel: the endpoint of its subscription. */
  endpoint: 'data-endpoint',
  /** Of a form that a passkey fills in: its options, as JSON. */
  passkey: 'data-passkey',
  /** Of a button: a passkey answers for its form first, with these options. */
  proves: 'data-proves',
  /** Of the field for the passkey's answer. */
  answer: 'data-answer',
  /** Of a part that another page keeps up to date: the path of that page. */
  liveFrom: 'data-live-from',
  /** Of the first call: whether it has come. */
  state: 'data-state',
  /** Of a field: the browser's time zone goes there. */
  timeZone: 'data-time-zone',
  /** Of a `time`: the seconds from the rendering of the page until then. */
  fromNow: 'data-from-now',
} as const;
