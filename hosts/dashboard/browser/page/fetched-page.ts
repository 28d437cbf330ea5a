import { REFRESH_HEADER } from '../../live/live-protocol.ts';

/** Fetches a page for a page that is open. The answer is not followed to the sign-in. */
export function fetchPage(address: string): Promise<Response> {
  return fetch(address, { redirect: 'manual', cache: 'no-store', headers: { [REFRESH_HEADER]: '1' } });
}

export async function documentIn(response: Response): Promise<Document> {
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}
