import { once } from 'node:events';

// What the programs of all clients share: a program does what the test tells it by messages, and answers each.

/** How long a client waits for an answer, where it can be told. */
export const PATIENCE_MS = 120_000;
const RETURNED = 'returned';

/** Does what the test tells. @param open  connects the client; answers `list`, `call` and `close` */
export function serve(open) {
  const signIn = createSignIn();
  const aborts = new Map();
  let client;
  const verbs = {
    async connect(door) {
      client = await open({ ...door, signIn });
    },
    list: () => client.list(),
    async call({ name, args }, id) {
      const abort = new AbortController();
      aborts.set(id, abort);
      const onProgress = () => process.send({ kind: 'progress', id });
      return JSON.stringify(await client.call(name, args, { signal: abort.signal, onProgress }));
    },
    abort: ({ call }) => aborts.get(call)?.abort(),
    close: () => client?.close(),
  };
  process.on('message', async ({ id, verb, given }) => {
    if (verb === RETURNED) return;
    try {
      process.send({ kind: 'answer', id, value: (await verbs[verb](given, id)) ?? null });
    } catch (error) {
      process.send({ kind: 'failure', id, message: described(error) });
    }
  });
  process.on('disconnect', () => process.exit());
}

function described(error) {
  const texts = [];
  for (let one = error; one !== undefined && one !== null; one = one.cause)
    texts.push(String(one.stack ?? one));
  return texts.join('\ncaused by: ');
}

/**
 * Opens the page that asks the owner.
 * @param listens  whether the client listens for the browser's return; otherwise that comes as a message
 */
function openPage(url, listens) {
  process.send({ kind: 'page', url: String(url), listens });
}

/**
 * Reads what a program writes, and opens the page of its sign-in as soon as it names one.
 * @returns all that it has written so far
 */
export function watchedWords(stream) {
  let words = '';
  let isOpened = false;
  stream.setEncoding('utf8').on('data', (text) => {
    words += text;
    const [page] = /https?:\S+\/authorize\?\S+(?=\s)/.exec(words) ?? [];
    if (page === undefined || isOpened) return;
    isOpened = true;
    openPage(page, true);
  });
  return () => words;
}

/** What the clients call an OAuthClientProvider, in memory. */
function createSignIn() {
  const kept = {};
  let returned;
  return {
    redirectUrl: 'http://127.0.0.1:9/callback',
    clientMetadata: { client_name: 'Tried client', redirect_uris: ['http://127.0.0.1:9/callback'] },
    state: () => 'state of the program',
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      returned = whenReturned();
      openPage(url, false);
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    authorizationServerInformation: () => kept.server,
    saveAuthorizationServerInformation(server) {
      kept.server = server;
    },
    storedState: () => 'state of the program',
    /**
     * What the browser returns with. @param error  what the client threw
     * @throws the error if no page was opened: it has another reason
     */
    async returns(error) {
      if (returned === undefined) throw error;
      return Object.fromEntries(new URL(await returned).searchParams);
    },
  };
}

async function whenReturned() {
  for (;;) {
    const [{ verb, given }] = await once(process, 'message');
    if (verb === RETURNED) return given;
  }
}

/** The headers of a door that takes a key. */
export function keyHeaders({ key }) {
  return { Authorization: `Bearer ${key}` };
}

/**
 * Connects; where the door asks for a sign-in, after that.
 * @param connect  connects, with the provider as it is
 * @param finish  passes what the browser returned with on to the client
 */
export async function withSignIn(signIn, connect, finish) {
  try {
    return await connect();
  } catch (error) {
    await finish(await signIn.returns(error));
    return connect();
  }
}
