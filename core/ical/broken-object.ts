/** An object that cannot be read as events: it is not valid iCalendar, or its times make no sense. */
export class BrokenObject extends Error {}

/** Reading the object would take more work than allowed. */
export class BeyondBounds extends BrokenObject {}
