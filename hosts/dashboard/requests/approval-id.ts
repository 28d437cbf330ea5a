/** The form of the id of an approval, in addresses and forms. */
export const APPROVAL_ID = 'apr_[A-Za-z0-9_-]{1,40}';
