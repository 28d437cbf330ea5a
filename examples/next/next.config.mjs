/** Countersign starts processes from its own files, so Next must not bundle it. */
export default { serverExternalPackages: ['countersign'] };
