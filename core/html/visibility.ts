/** Hidden: certainly invisible. Unclear: mail programs differ, or it depends on a click, the layout or a picture. */
export type Visibility = 'shown' | 'unclear' | 'hidden';

/** Smaller letters are only dots. */
export const READABLE_PX = 3;

/** From 0 to 1. Fainter text is invisible. */
export const SEEN_OPACITY = 0.1;

const ORDER = ['shown', 'unclear', 'hidden'] as const;

/** Returns the least visible of them. */
export function worst(all: readonly Visibility[]): Visibility {
  return all.reduce((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a), 'shown');
}

/** Hidden if the condition is true, unclear if it is unknown. */
export function hiddenIf(is: boolean | undefined): Visibility {
  return is === undefined ? 'unclear' : is ? 'hidden' : 'shown';
}

export function unclearIf(is: boolean): Visibility {
  return is ? 'unclear' : 'shown';
}

/** Whether a keyword matches. Undefined if the value is unknown. */
export function is(value: string, which: RegExp): boolean | undefined {
  return value.includes('(') ? undefined : which.test(value);
}
