import { casesOf } from '../../only-long.ts';

const ALL = [
  ['wide, light', 1200, 'light'],
  ['wide, dark', 1200, 'dark'],
  ['narrow, light', 375, 'light'],
  ['narrow, dark', 375, 'dark'],
] as const;

/** The widths, in pixels, and colour schemes in which pages must fit; in the gate, the one with the least room. */
export const SCREENS = casesOf('pages: looks', ALL, ([name]) => name === 'narrow, dark');
