/** Of `packages/sdk/src`: transports below what is asked and sent, and those below the client. */
export const SDK_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'entry point', paths: ['index.ts'], what: 'entry point' },
  {
    name: 'bots',
    paths: ['actions.ts', 'bot/'],
    what: 'actions by name; helpers for bots',
  },
  {
    name: 'clients',
    paths: ['client.ts', 'reader.ts', 'create-sender.ts'],
    what: 'clients that sign, read, or only send',
  },
  {
    name: 'parts',
    paths: ['exchange/', 'service/', 'connect.ts', 'permit.ts'],
    what: 'actions; other services of a venue; connecting by URL; permits',
  },
  {
    name: 'reads and wallets',
    paths: ['info/', 'streams/', 'wallet.ts'],
    what: 'queries; streams; wallets',
  },
  {
    name: 'transport',
    paths: ['transport/', 'signing-network.ts'],
    what: 'HTTP and WebSocket with reconnection; network name and its check',
  },
  {
    name: 'ground',
    paths: ['errors.ts', 'typed-data.ts', 'nonce.ts', 'version.ts', 'testing/'],
    what: 'errors; safe callbacks; typed data; nonces; version; test fakes',
  },
];
