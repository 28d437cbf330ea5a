const handle = (request) => globalThis.shared.mount(request);

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
