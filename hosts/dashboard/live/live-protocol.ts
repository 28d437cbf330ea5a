/** What the server and the page's script agree on. */

/** The path of the socket, below the dashboard's base. */
export const SOCKET_PATH = '/live';
/** The close code of a socket whose session has ended. Codes from 4000 on are the application's (RFC 6455, 7.4.2). */
export const ENDED_CODE = 4401;
/** The header of an open page that fetches itself again. */
export const REFRESH_HEADER = 'countersign-refresh';
