import {
  CHAIN_ACCESS,
  FOLDER,
  HOST,
  list,
  PORT,
  setting,
  type SettingsProgram,
} from '@oddlot/host/settings';

export const OWN_CHAIN_SETTINGS = {
  title:
    'Settlement chain with test USDC and a bridge, for the replicas of a cluster with test funds',
  command: 'npm run chain',
  groups: {
    Listening: {
      data: setting(FOLDER, {
        default: './chain-data',
        help: 'Folder for the blocks (chain/) and the keys (keys/)',
      }),
      port: setting(PORT, {
        default: 8693,
        help: 'JSON-RPC port for wallets, with client limits; 0 selects a free port',
      }),
      ownerPort: setting(PORT, {
        unset: '`port` + 1',
        help:
          'JSON-RPC port for replicas, without client limits and reachable only from this ' +
          'machine',
      }),
      host: setting(HOST, {
        default: '127.0.0.1',
        help: 'Interface on which the wallet port listens',
      }),
    },
    'Allowed pages': {
      pagePorts: setting(list(PORT), {
        default: [],
        help: 'Ports on this machine whose trading pages may send requests to the chain',
      }),
      pageOrigins: CHAIN_ACCESS.pageOrigins,
    },
  },
  closing:
    'When ready, it prints one line:\n  Oddlot chain is serving at http://127.0.0.1:8693 (replicas: --chain http://127.0.0.1:8694 --chain-keys DIR/keys --settlement-rpc-url http://127.0.0.1:8693)\n',
} satisfies SettingsProgram;
