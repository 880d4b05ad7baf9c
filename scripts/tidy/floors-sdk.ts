/** Of `packages/sdk/src`: transports below what is asked and sent, and those below the client. */
export const SDK_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'door', paths: ['index.ts'], what: 'what users import' },
  {
    name: 'bots',
    paths: ['actions.ts', 'bot/'],
    what: 'actions by their names; what a bot needs around a client',
  },
  {
    name: 'clients',
    paths: ['client.ts', 'reader.ts', 'create-sender.ts'],
    what: 'a client that signs, one that reads, one that only sends',
  },
  {
    name: 'parts',
    paths: [
      'exchange/',
      'service/',
      'connect.ts',
      'permit.ts',
      'ethers-wallet.ts',
      'wallet-client-wallet.ts',
    ],
    what: 'writes; services beside the venue; a venue found by its address; permits; wallets of others',
  },
  {
    name: 'reads and wallets',
    paths: ['info/', 'streams/', 'wallet.ts', 'network-check.ts'],
    what: 'questions; streams; who signs; whether it signs for the right venue',
  },
  {
    name: 'transport',
    paths: ['transport/', 'wallet-answer.ts', 'signing-network.ts'],
    what: 'HTTP and sockets that come back; what wallets answer; the name that is signed for',
  },
  {
    name: 'ground',
    paths: ['errors.ts', 'call-apart.ts', 'typed-data.ts', 'nonce.ts', 'version.ts', 'testing/'],
    what: 'errors; calls that harm nobody; typed data; nonces; the version; fakes of tests',
  },
];
