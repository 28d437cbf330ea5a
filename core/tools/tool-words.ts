/** How the activity puts a tool into words. `%` is what it acted on. */
export interface ToolWords {
  /** After "asked to" or "tried to". */
  readonly verb: string;
  readonly past: string;
  /** What it acts on, if its request does not name it. */
  readonly one?: string;
  /** The same, for a tool that may act on several things. */
  readonly many?: string;
}
