/** N of scrypt for new hashes. A check takes 128 MB and most of a second of CPU, by design. */
export const PASSWORD_COST = 2 ** 17;
