/**
 * Changed answers that lead to a wrong answer of ours, by their names, with the reason. The gate plays none of them. The long
 * run fails if no case of one entry leads to a wrong answer any more: then the entry goes.
 */
const KNOWN_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:UID )?FETCH: BODY, field short, /, 'a header or body that is cut is shown as the whole'],
  [
    /^(?:UID )?SEARCH: (?:OK without having done it|no data|the last of the data absent)$/,
    'a search without an answer is taken for one that found nothing',
  ],
  [
    /^LIST: (?:OK without having done it|no data|the last of the data absent)$/,
    'a list without folders, or without one of them, is taken for the whole',
  ],
  [
    /^(?:(?:LIST|STATUS): (?:MESSAGES|UNSEEN)|SELECT: EXISTS), field empty, /,
    'a wrong number cannot be told from a right one',
  ],
  [/^LIST: (?:attributes|delimiter), field (?:absent|doubled), /, 'a folder has an empty name'],
  [
    /^BODY: 250 without having done it$/,
    'a server that takes a message and loses it cannot be told from one that sends it',
  ],
];

/** The entry that a case belongs to. */
export function knownFault(name: string): string | undefined {
  return KNOWN_FAULTS.find(([names]) => names.test(name))?.[1];
}
