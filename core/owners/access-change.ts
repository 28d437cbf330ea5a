/** What happened to an owner's own access. The owner gets a notice of it, whoever did it. */
export const ACCESS_CHANGES = ['password', 'second_step', 'recovery_code'] as const;

/** `password`, `second_step`: it was changed or removed. `recovery_code`: one was used. */
export type AccessChange = (typeof ACCESS_CHANGES)[number];

/** When each last happened. Null: never, or the owner has confirmed it since. */
export type AccessChanges = Readonly<Record<AccessChange, Date | null>>;
