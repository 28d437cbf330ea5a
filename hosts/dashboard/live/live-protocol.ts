/** What the server and the page's script agree on for open pages. */

/** The path of the socket, below the dashboard's base. */
export const SOCKET_PATH = '/live';
/** The close code of a socket whose session has ended. Codes from 4000 on are the application's (RFC 6455, 7.4.2). */
export const ENDED_CODE = 4401;
/** The header of an open page that fetches itself again. */
export const REFRESH_HEADER = 'countersign-refresh';

/** What the socket sends, as JSON. */
export interface LiveMessage {
  /** How many requests wait for the owner's decision. */
  readonly waiting: number;
  /** Opaque. It differs once a request is added or changes its state. */
  readonly version: string;
}
