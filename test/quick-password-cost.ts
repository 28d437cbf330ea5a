/**
 * Stands in for `core/secrets/password-cost.ts` in tests and in the programs that they bundle: a check takes a thousandth of
 * the usual time. Each hash says what it cost, so hashes of either cost can be checked.
 */
export const PASSWORD_COST = 2 ** 7;
