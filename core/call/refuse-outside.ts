import { isAccountInside, isPersonInside } from '../keys/fences.ts';
import type { LookUpContext } from './context.ts';

/** Refuses what is outside the fences of the key, and names the argument that leads there. */

type Fenced = Pick<LookUpContext, 'fences' | 'outsideFence'>;

/** @throws ServiceError not_permitted */
export function refuseAccountOutside(context: Fenced, accountId: number, field: string): void {
  if (!isAccountInside(context.fences, accountId)) throw context.outsideFence(field);
}

/** @param fieldOf returns the argument that leads to an address. @throws ServiceError not_permitted */
export function refusePeopleOutside(
  context: Fenced,
  addresses: readonly string[],
  fieldOf: (address: string, index: number) => string,
): void {
  addresses.forEach((address, index) => {
    if (!isPersonInside(context.fences, address)) throw context.outsideFence(fieldOf(address, index));
  });
}
