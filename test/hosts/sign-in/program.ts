import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** A program with the official client: it keeps what it gets, and listens for the browser that comes back. */
export class Program implements OAuthClientProvider {
  readonly #server: Server;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  authorizationUrl: URL | undefined;
  /** The query of each return of the browser. */
  readonly returns: URLSearchParams[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      this.returns.push(new URL(request.url ?? '/', 'http://localhost').searchParams);
      response.end('You can close this page.');
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
  }

  get redirectUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callback`;
  }

  get clientMetadata() {
    return { client_name: 'Desktop Assistant', redirect_uris: [this.redirectUrl] };
  }

  state = () => 'state of the program';
  clientInformation = () => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: OAuthTokens) => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.authorizationUrl = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}
