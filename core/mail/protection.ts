/** Whether the sender's mail program encrypted or signed a message. Pure. */
export interface Protection {
  /** Some of its text cannot be read here. */
  readonly isEncrypted: boolean;
  /** It carries a signature. Nobody has checked it. */
  readonly isSigned: boolean;
}

export const UNPROTECTED: Protection = { isEncrypted: false, isSigned: false };
