/** Decodes the ASCII characters of percent encoding, once. Leaves other and malformed sequences unchanged. */
export function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
