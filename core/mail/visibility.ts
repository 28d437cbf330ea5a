/** Hidden: certain not to be seen. Unclear: mail programs differ, or only a click, a layout or a picture would tell. */
export type Visibility = 'shown' | 'unclear' | 'hidden';

/** Smaller letters are no more than dots. */
export const READABLE_PX = 3;

/** Of 1: fainter text is not seen. */
export const SEEN_OPACITY = 0.1;

const ORDER = ['shown', 'unclear', 'hidden'] as const;

/** The least visible of them. */
export function worst(...all: readonly Visibility[]): Visibility {
  return all.reduce((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a), 'shown');
}

/** Hidden if something is the case, unclear if it cannot be told. */
export function hiddenIf(is: boolean | undefined): Visibility {
  return is === undefined ? 'unclear' : is ? 'hidden' : 'shown';
}

export function unclearIf(is: boolean): Visibility {
  return is ? 'unclear' : 'shown';
}

/** Whether a keyword is one of some; undefined for a value that is not known. */
export function is(value: string, which: RegExp): boolean | undefined {
  return value.includes('(') ? undefined : which.test(value);
}
