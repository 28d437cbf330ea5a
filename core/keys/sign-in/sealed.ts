import * as z from 'zod';
import type { Keyring } from '../../secrets/keyring.ts';

/**
 * Values that a client or a browser keeps and sends back, encrypted and authenticated. Clients, requests and codes need
 * no rows, so nobody can fill the database with them.
 */
export interface Sealed<Value> {
  seal(keyring: Keyring, value: Value): string;
  /** Undefined: the text was not sealed here, or its secret key is gone. */
  open(keyring: Keyring, text: string): Value | undefined;
}

/** Defines a kind of sealed value. @param purpose derives the key, so a text of another purpose does not open */
export function sealed<Value>(purpose: string, prefix: string, shape: z.ZodType<Value>): Sealed<Value> {
  return {
    seal: (keyring, value) => `${prefix}${keyring.seal(purpose, '', JSON.stringify(value))}`,
    open(keyring, text) {
      if (!text.startsWith(prefix) || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
      let opened: string;
      try {
        opened = keyring.open(purpose, '', text.slice(prefix.length));
      } catch {
        // Anybody can send such a text, so it is not an error.
        return undefined;
      }
      // Another version may have sealed something else.
      return shape.safeParse(JSON.parse(opened)).data;
    },
  };
}

/** Shapes that several sealed values use. */
export const hashText = z.string().length(64);
export const instantMs = z.int();
