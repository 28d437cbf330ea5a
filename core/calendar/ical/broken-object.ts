/** An object that cannot be read as events: its text is no iCalendar, or what it says about time makes no sense. */
export class BrokenObject extends Error {}

/** To read the object would take more work than one object may cost. */
export class BeyondBounds extends BrokenObject {}
