import {
  CHAIN_DOOR,
  FOLDER,
  HOST,
  list,
  PORT,
  setting,
  type SettingsProgram,
} from '@oddlot/host/settings';

/** All that a local chain in a process of its own can be told. */
export const OWN_CHAIN_SETTINGS = {
  title:
    'A settlement chain where money is not real, with test USDC and the bridge on it, for the replicas of a cluster.',
  command: 'npm run chain',
  groups: {
    'Where it is': {
      data: setting(FOLDER, {
        default: './chain-data',
        help: 'folder of its blocks (chain/) and its keys (keys/)',
      }),
      port: setting(PORT, {
        default: 8693,
        help: 'port of JSON-RPC for wallets, with limits; 0 takes any free one',
      }),
      ownerPort: setting(PORT, {
        unset: 'the port + 1',
        help: 'port of JSON-RPC for replicas, without limits and on this machine alone',
      }),
      host: setting(HOST, { default: '127.0.0.1', help: 'interface of the port for wallets' }),
    },
    'Which pages may ask': {
      pagePorts: setting(list(PORT), {
        default: [],
        help: 'ports of this machine whose trading page may ask',
      }),
      pageOrigins: CHAIN_DOOR.pageOrigins,
    },
  },
  closing:
    'When it serves it prints one line:\n' +
    '  Oddlot chain is serving at http://127.0.0.1:8693 (replicas: --chain http://127.0.0.1:8694 --chain-keys DIR/keys --settlement-rpc-url http://127.0.0.1:8693)\n',
} satisfies SettingsProgram;
