/** The purposes for which the keyring seals what is stored. The descriptions of the tables name the columns. */
export const STORED = {
  accountSettings: 'account-settings',
  askedPlan: 'asked-plan',
  editDiff: 'edit-diff',
  endpointSecret: 'endpoint-secret',
  gist: 'gist',
  messageHandle: 'message-handle',
  noticeTarget: 'notice-target',
  outcome: 'outcome',
  pendingGrant: 'pending-grant',
  plan: 'plan',
  providerGrant: 'provider-grant',
  read: 'read',
  refreshedTokens: 'refreshed-tokens',
  rejectionNote: 'rejection-note',
  totp: 'totp',
} as const;
