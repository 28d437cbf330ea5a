/**
 * How many webhook attempts may run at once. Owners take turns in a circle, so an owner with many due deliveries, or
 * with receivers that do not answer, delays the others by a few attempts only. Pure.
 */

/** In one process. */
export const IN_FLIGHT_MAX = 64;
/** The other half stays free for other owners. */
const PER_OWNER_MAX = IN_FLIGHT_MAX / 2;
/** The most attempts that one unresponsive receiver can block. */
export const PER_ENDPOINT_MAX = 4;

/**
 * Returns how many attempts an owner may start in its turn.
 * @param running  attempts that run now: all, and the owner's
 * @param owners  owners that still have their turn in this circle, this one included
 */
export function roomOfOwner(
  running: { readonly all: number; readonly ofOwner: number },
  owners: number,
): number {
  const share = Math.ceil((IN_FLIGHT_MAX - running.all) / owners);
  return Math.max(0, Math.min(share, PER_OWNER_MAX - running.ofOwner));
}

/** Returns how many attempts an endpoint may start. @param running its attempts that run now */
export function roomOfEndpoint(running: number): number {
  return Math.max(0, PER_ENDPOINT_MAX - running);
}
