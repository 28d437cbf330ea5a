/** The start of the names of an account's messages as targets of requests, also of the filed ones. */
export function targetNamesBegin(accountId: number): string {
  return `message:${accountId}:`;
}
