/** Decodes paths of a calendar server. */

/** The path without percent-encoding, so that a name does not depend on what the server chooses to encode. */
export function decodedPath({ pathname }: URL): string {
  const path = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return path.includes('%') ? path.split('/').map(decodedPart).join('/') : path;
}

/** The last part of a decoded path that is not empty; the whole path if there is none. */
export function nameIn(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

/** The name of an object as the server writes it. Empty for the collection itself. */
export function lastPartOf(pathname: string): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1);
}

export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
