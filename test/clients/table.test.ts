import { expect, it } from 'vitest';
import { documentText, tableIn } from '../docs/documents.ts';
import { CLIENT_HEAD, CLIENT_PAGE, cellsOf } from './client-table.ts';
import { CLIENTS } from './tried-clients.ts';

it(`the table of ${CLIENT_PAGE} has every client that the long run tries, and all that it tries holds`, () => {
  const rows = CLIENTS.map((client) => cellsOf(client, () => true));
  expect(tableIn(documentText(CLIENT_PAGE), ...CLIENT_HEAD)).toEqual(rows);
});
