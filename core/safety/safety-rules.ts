/** More recipients outside the conversation than this count as many. */
export const OUTSIDERS_MAX = 3;

/** The rules of the safety filter, with the words for the owner's list, which shows no evidence. */
export const SAFETY_RULES = {
  secret: 'The text seems to contain a password, a key or a one-time code.',
  account_or_card_number: 'The text seems to contain a bank account or card number.',
  near_copy_domain: 'A domain looks like one you know, but is a different one.',
  hidden_host: 'A host name hides behind the name of another.',
  reply_elsewhere: 'The answer goes to somebody other than the sender.',
  own_markers:
    "The text contains the markers that surround untrusted text, so it may carry out a stranger's request.",
  invisible_characters: 'The text contains invisible characters, or characters that reverse its direction.',
  misleading_link: 'A link in the text leads to a different place than it shows.',
  many_outsiders: `It goes to more than ${OUTSIDERS_MAX} people who are not part of the conversation.`,
  differing_time: 'The answer names a different time than the message.',
  differing_amount: 'The answer names a different amount than the message.',
} as const;

export type SafetyHold = keyof typeof SAFETY_RULES;
