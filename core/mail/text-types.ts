/** The media types of what a person reads of a message, and of the messages that it carries. */

/** RFC 2046 5.2.1, RFC 6532 3.7. */
export function isMessageType(type: string): boolean {
  return type === 'message/rfc822' || type === 'message/global';
}

export function isCalendarType(type: string): boolean {
  return /^(?:text\/(?:x-v)?calendar|application\/ics)$/.test(type);
}

/** The parts of a report for programs (RFC 3464, 8098, 5965, 6533): fields in lines. */
export function isReportType(type: string): boolean {
  return /^message\/(?:(?:global-)?(?:delivery-status|disposition-notification|headers)|feedback-report)$/.test(
    type,
  );
}
