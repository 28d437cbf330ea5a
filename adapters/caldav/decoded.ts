/** Decodes paths of a calendar server. */

/** The path without percent-encoding, so that a name does not depend on what the server chooses to encode. */
export function decodedPath({ pathname }: URL): string {
  const path = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return path.split('/').map(decodedPart).join('/');
}

/** The name of an object. Undefined for the collection itself. */
export function decodedName({ pathname }: URL): string | undefined {
  const last = pathname.split('/').at(-1);
  return last ? decodedPart(last) : undefined;
}

export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
