/** The parts of oidc-provider that the tests use. The package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Client {
    readonly clientId: string;
  }
  interface Stored {
    save(): Promise<string>;
    destroy(): Promise<void>;
  }
  interface Token extends Stored {
    readonly accountId: string;
    readonly grantId: string;
    readonly scope?: string;
    readonly isValid: boolean;
  }
  interface TokenKind {
    new (fields: {
      readonly accountId: string;
      readonly client: Client;
      readonly grantId: string;
      readonly scope: string;
      readonly gty: string;
      readonly rotations?: number;
      readonly iiat?: number;
    }): Token;
    find(value: string): Promise<Token | undefined>;
    revokeByGrantId(grantId: string): Promise<void>;
  }
  interface GrantKind {
    new (fields: {
      readonly accountId: string;
      readonly clientId: string;
    }): Stored & {
      addOIDCScope(scope: string): void;
    };
    find(grantId: string): Promise<Stored | undefined>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Client: { find(clientId: string): Promise<Client | undefined> };
    readonly AccessToken: TokenKind;
    readonly RefreshToken: TokenKind;
    readonly Grant: GrantKind;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(event: 'access_token.saved', listener: (token: Token) => void): void;
  }
}
