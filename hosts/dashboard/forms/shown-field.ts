/** When the page of a form was shown. The page's script reads it as well. */
export const SHOWN_FIELD = 'shown';
/** How long a form must have been shown before it decides anything. The script's buttons wait as long. */
export const SHOWN_FOR_MS = 1000;
