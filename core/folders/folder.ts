/** What a folder is for, as the API names it. */
export type FolderRole = 'inbox' | 'sent' | 'drafts' | 'spam' | 'trash' | 'archive';

/** A folder as its server lists it. */
export interface MailFolder {
  /** As the server names it, decoded; unique in the account. */
  readonly path: string;
  /** What separates the parts of the path; null where folders cannot lie in folders. */
  readonly delimiter: string | null;
  /** The role that the server itself gives the folder (RFC 6154), never one guessed from its name. */
  readonly specialUse: Exclude<FolderRole, 'inbox'> | null;
}
